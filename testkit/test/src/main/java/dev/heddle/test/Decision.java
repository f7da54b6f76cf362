// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.time.Duration;

/// A decision of a run: two or more were ready, and one of them ran.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=decisions}
///
/// @param number counted from 0
/// @param at the virtual time since the beginning of the run
/// @param ready how many were ready
/// @param chosen the place of the one that ran, in the order in which they became ready, from 0
/// @param ran its name
/// @since 0.1
public record Decision(int number, Duration at, int ready, int chosen, String ran) {
  @Override
  public String toString() {
    return "decision %d at %s: %s, number %d of %d that were ready"
        .formatted(number, inWords(at), ran, chosen + 1, ready);
  }

  static String inWords(Duration time) {
    return time.toNanosPart() % 1_000_000 == 0 ? time.toMillis() + " ms" : time.toNanos() + " ns";
  }
}
