// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// A virtual thread that starts others in batches: each puts a word into its queue, and ends.
public final class ThreadSpawn implements Program {
  private static final String HELLO = "hello";

  private final int batch;

  /// A program that starts so many at once.
  public ThreadSpawn(int batch) {
    this.batch = batch;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    long batches = Math.max(1, operations / batch);
    var tally = new Tally(1);
    var meter = new Meter();
    meter.start();
    var _ = Actors.start(() -> spawn(batches, tally));
    tally.await();
    Sample sample = meter.stop(batches * batch);
    tally.check("greetings", batches * batch);
    return sample;
  }

  private void spawn(long batches, Tally tally) throws InterruptedException {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    long greetings = 0;
    for (long i = 0; i < batches; i++) {
      for (int j = 0; j < batch; j++) {
        var _ = Actors.start(() -> queue.put(HELLO));
      }
      for (int j = 0; j < batch; j++) {
        greetings += queue.take().equals(HELLO) ? 1 : 0;
      }
    }
    tally.add(greetings);
    tally.end();
  }
}
