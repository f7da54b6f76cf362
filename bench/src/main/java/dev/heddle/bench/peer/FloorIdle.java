// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;

/// So many bare virtual threads suspended, and nobody who could resume them: what a heap full of
/// stacks costs the JVM itself while it idles.
public final class FloorIdle implements Program {
  private final Floor[] parked;

  /// A program with so many suspended threads.
  public FloorIdle(int count) {
    parked = new Floor[count];
    for (int i = 0; i < count; i++) {
      parked[i] = new Floor(Thread::yield).start();
      parked[i].resume();
    }
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return Quiet.watch(operations);
  }

  @Override
  public void close() {
    for (Floor thread : parked) {
      thread.resume();
    }
  }
}
