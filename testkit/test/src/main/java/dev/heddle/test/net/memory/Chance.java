// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/// The chance of a simulated network: a generator for each concern, all from one seed, so that a
/// fault which is added or taken away leaves the draws of all others as they were.
final class Chance {
  /// What is left to chance.
  enum Concern {
    LATENCY,
    DATAGRAM_LOSS,
    DUPLICATION,
    SEGMENT_LOSS,
    RESET,
    SHORT_READ,
    SHORT_WRITE,
    NAME_FAILURE
  }

  private final Map<Concern, SplittableRandom> generators = new EnumMap<>(Concern.class);

  Chance(long seed) {
    for (Concern concern : Concern.values()) {
      // by its name: a concern that is added to the list leaves the others as they were
      long own = seed ^ (concern.name().hashCode() * 0x9E37_79B9_7F4A_7C15L);
      generators.put(concern, new SplittableRandom(own));
    }
  }

  private SplittableRandom of(Concern concern) {
    SplittableRandom own = generators.get(concern);
    if (own == null) {
      throw new IllegalStateException("no generator for " + concern);
    }
    return own;
  }

  /// Draws also when the probability is 0, so that a change of it leaves later draws as they were.
  boolean happens(Concern concern, double probability) {
    return of(concern).nextDouble() < probability;
  }

  /// A number of a range whose ends are included.
  long between(Concern concern, long least, long most) {
    return least == most ? least : of(concern).nextLong(least, most + 1);
  }
}
