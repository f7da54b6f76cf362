// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.scheduler.ReadyPicker;
import java.util.SplittableRandom;

/// Picks any of the ready ones; the same seed picks the same.
final class SeededPicker implements ReadyPicker {
  private final SplittableRandom random;
  private long fingerprint;

  SeededPicker(long seed) {
    this.random = new SplittableRandom(seed);
  }

  @Override
  public int pick(int ready) {
    int picked = ready == 1 ? 0 : random.nextInt(ready);
    fingerprint = fingerprint * 31 + ready * 7L + picked;
    return picked;
  }

  /// A number that two runs share when they made the same choices among as many.
  long fingerprint() {
    return fingerprint;
  }
}
