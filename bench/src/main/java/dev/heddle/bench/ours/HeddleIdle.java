// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;

/// A loop with so many coroutines waiting, and nothing else.
public final class HeddleIdle implements Program {
  private final ResidentLoop loop = new ResidentLoop();
  private final ParkedCoroutines parked;

  /// A program with so many waiting coroutines.
  ///
  /// @throws Exception when the loop cannot start
  public HeddleIdle(int count) throws Exception {
    parked = loop.call(() -> new ParkedCoroutines(count, 1));
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return Quiet.watch(operations);
  }

  @Override
  public void close() {
    parked.release();
    loop.close();
  }
}
