// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.VirtualTime;
import java.time.Duration;

/// A decision of a run: two or more were ready, and one of them ran.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=decisions}
///
/// **Thread** any.
///
/// @since 0.1
public final class Decision {
  private final int number;
  private final Duration at;
  private final int ready;
  private final int chosen;
  private final String ran;

  Decision(int number, Duration at, int ready, int chosen, String ran) {
    this.number = number;
    this.at = at;
    this.ready = ready;
    this.chosen = chosen;
    this.ran = ran;
  }

  /// Its number in the run, from 0.
  public int number() {
    return number;
  }

  /// The virtual time since the beginning of the run.
  public Duration at() {
    return at;
  }

  /// How many were ready; at least 2.
  public int ready() {
    return ready;
  }

  /// The place of the one that ran, in the order in which they became ready, from 0.
  public int chosen() {
    return chosen;
  }

  /// The name of the one that ran.
  public String ran() {
    return ran;
  }

  @Override
  public String toString() {
    return "decision %d at %s: %s, number %d of %d that were ready"
        .formatted(number, VirtualTime.inWords(at), ran, chosen + 1, ready);
  }
}
