// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;

/// So many stock virtual threads parked, and nothing else.
public final class StockIdle implements Program {
  private final ParkedThreads parked;

  /// A program with so many parked threads.
  public StockIdle(int count) throws InterruptedException {
    parked = new ParkedThreads(count, 1);
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return Quiet.watch(operations);
  }

  @Override
  public void close() throws InterruptedException {
    parked.release();
  }
}
