// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;

/// The two sides of a queue between threads or loops. The same code runs on all of them.
public final class ThreadTransfer {
  /// How many items each queue holds.
  public static final int CAPACITY = 64;

  private final Sender sender;
  private final Receiver receiver;
  private final long operations;

  /// So many items, and some before them to warm up.
  public ThreadTransfer(Sender sender, Receiver receiver, long operations) {
    this.sender = sender;
    this.receiver = receiver;
    this.operations = operations;
  }

  /// Sends all.
  public void send() throws InterruptedException {
    for (long i = 0; i < StockChannel.WARM + operations; i++) {
      sender.send(StockChannel.ITEM);
    }
  }

  /// Receives all; measures itself.
  public Sample receive() throws InterruptedException {
    for (int i = 0; i < StockChannel.WARM; i++) {
      receiver.receive();
    }
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      receiver.receive();
    }
    return meter.stop(operations);
  }

  /// The end where items go in.
  @FunctionalInterface
  public interface Sender {
    /// Waits while the queue is full.
    void send(Object item) throws InterruptedException;
  }

  /// The end where items come out.
  @FunctionalInterface
  public interface Receiver {
    /// Waits while the queue is empty.
    Object receive() throws InterruptedException;
  }

  /// Who sends and who receives.
  public enum Way {
    /// A thread sends to a thread.
    THREADS,
    /// A thread sends to a coroutine, or to a virtual thread.
    INTO,
    /// A coroutine sends to one of another loop; or a virtual thread to another.
    BETWEEN
  }
}
