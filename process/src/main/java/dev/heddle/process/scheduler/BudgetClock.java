// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.ProcessWorld;

/// The clock of the budgets of bodies in a simulation. It moves with each read, by a budget or not
/// at all: so a body may lose its worker at each call, at the same one for the same seed.
final class BudgetClock {
  private static final int MOST_READS = 100; // then a body yields, whatever is chosen
  private static final long LONG_NANOS = 1_000_000_000; // longer than any budget of a body

  private final ProcessWorld world;
  private long nanos;
  private int readsInARow; // at which no body yielded

  BudgetClock(ProcessWorld world) {
    this.world = world;
  }

  long read() {
    boolean yields = ++readsInARow == MOST_READS || world.choose(2) == 1;
    readsInARow = yields ? 0 : readsInARow;
    nanos += yields ? LONG_NANOS : 1;
    return nanos;
  }
}
