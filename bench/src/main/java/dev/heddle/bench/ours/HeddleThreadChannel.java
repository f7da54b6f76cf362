// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Loop;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.ThreadTransfer;
import dev.heddle.bench.peer.ThreadTransfer.Way;
import dev.heddle.thread.ThreadChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/// A ThreadChannel between threads, loops, or both.
public final class HeddleThreadChannel implements Program {
  private final Way way;

  /// A program with these two sides.
  public HeddleThreadChannel(Way way) {
    this.way = way;
  }

  @Override
  public Sample round(long operations) throws Exception {
    ThreadChannel<Object> channel = ThreadChannel.of(ThreadTransfer.CAPACITY);
    var transfer = new ThreadTransfer(channel::send, channel::receive, operations);
    Callable<Boolean> send =
        () -> {
          transfer.send();
          return true;
        };
    Future<Boolean> sending = way == Way.BETWEEN ? onLoop(send) : onThread(send);
    Future<Sample> receiving =
        way == Way.THREADS ? onThread(transfer::receive) : onLoop(transfer::receive);
    sending.get();
    return receiving.get();
  }

  private static <T> Future<T> onThread(Callable<T> side) {
    var task = new FutureTask<>(side);
    Thread.ofPlatform().start(task);
    return task;
  }

  private static <T> Future<T> onLoop(Callable<T> side) {
    return Loop.<T>start(side::call).result();
  }
}
