// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// The two sides of a ping-pong through the JDK's blocking queues. The same code runs on stock
/// virtual threads and on coroutines.
public final class QueuePingPong {
  private final BlockingQueue<Integer> there = new ArrayBlockingQueue<>(1);
  private final BlockingQueue<Integer> back = new ArrayBlockingQueue<>(1);
  private final long trips;

  /// A game of so many round trips.
  public QueuePingPong(long trips) {
    this.trips = trips;
  }

  /// Sends and waits for the answer; measures itself.
  public Sample ping() throws InterruptedException {
    there.put(0); // the partner is there once this one came back
    back.take();
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < trips; i++) {
      there.put(1);
      back.take();
    }
    return meter.stop(trips);
  }

  /// Answers.
  public void pong() throws InterruptedException {
    for (long i = 0; i <= trips; i++) {
      back.put(there.take());
    }
  }
}
