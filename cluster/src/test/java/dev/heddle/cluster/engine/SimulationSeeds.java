// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.concurrent.ThreadLocalRandom;

/// Where the seeds of a full run of a simulation begin. Each run of the tests has the same ones, so
/// that a change is compared with what was; a full run has others each time, so that it finds what
/// was not seen before. A failure names its seed.
public final class SimulationSeeds {
  private static final int MOST = 2_000_000_000;

  private SimulationSeeds() {}

  /// The first one of so many.
  public static int somewhere(int count) {
    int first = ThreadLocalRandom.current().nextInt(MOST / count) * count;
    System.out.printf("seeds %d to %d%n", first, first + count - 1);
    return first;
  }
}
