// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// Virtual threads in a ring, round which one object goes.
public final class ThreadRing implements Program {
  private static final String TOKEN = "token";

  private final int members;

  /// A program of a ring of so many.
  public ThreadRing(int members) {
    this.members = members;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    long laps = Math.max(1, operations / members);
    var tally = new Tally(1);
    List<BlockingQueue<String>> ring = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      ring.add(new LinkedBlockingQueue<>());
    }
    for (int i = 0; i < members; i++) {
      BlockingQueue<String> own = ring.get(i);
      BlockingQueue<String> next = ring.get((i + 1) % members);
      boolean first = i == 0;
      var _ = Actors.start(() -> pass(first, laps, own, next, tally));
    }
    var meter = new Meter();
    meter.start();
    ring.getFirst().put(TOKEN);
    tally.await();
    Sample sample = meter.stop(laps * members);
    tally.check("hops", laps * members);
    return sample;
  }

  private static void pass(
      boolean first, long laps, BlockingQueue<String> own, BlockingQueue<String> next, Tally tally)
      throws InterruptedException {
    for (long passed = 1; passed <= laps; passed++) {
      String token = own.take();
      if (passed == laps) {
        tally.add(passed);
      }
      next.put(token);
    }
    if (first) {
      var _ = own.take();
      tally.end();
    }
  }
}
