// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// Virtual threads that all put into the queue of one, of 1,024 places.
public final class ThreadFanIn implements Program {
  private static final int PLACES = 1_024; // without a bound it is slower here: more to collect
  private static final String ITEM = "item";

  private final int senders;
  private final int burst;

  /// A program in which so many send `burst` messages each before they wait for the receiver.
  public ThreadFanIn(int senders, int burst) {
    this.senders = senders;
    this.burst = burst;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    int together = senders * burst;
    long bursts = Math.max(1, operations / together);
    BlockingQueue<String> queue = new ArrayBlockingQueue<>(PLACES);
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < bursts; i++) {
      var tally = new Tally(1);
      for (int j = 0; j < senders; j++) {
        var _ = Actors.start(() -> send(queue));
      }
      var _ = Actors.start(() -> receive(queue, together, tally));
      tally.await();
    }
    Sample sample = meter.stop(bursts * together);
    if (!queue.isEmpty()) {
      throw new IllegalStateException("more than were sent: " + queue.size());
    }
    return sample;
  }

  private void send(BlockingQueue<String> queue) throws InterruptedException {
    for (int i = 0; i < burst; i++) {
      queue.put(ITEM);
    }
  }

  private static void receive(BlockingQueue<String> queue, int together, Tally tally)
      throws InterruptedException {
    for (int i = 0; i < together; i++) {
      var _ = queue.take();
    }
    tally.end();
  }
}
