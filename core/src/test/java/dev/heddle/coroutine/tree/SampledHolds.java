// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

/// The look at holds, for tests that say when it looks.
public final class SampledHolds {
  private final HoldWatch watch;

  /// Of a loop.
  public SampledHolds(LoopRoot loop) {
    this.watch = new HoldWatch(loop);
  }

  /// Looks.
  ///
  /// @param now in nanoseconds
  /// @return whether the loop is awake
  public boolean sample(long now) {
    return watch.sample(now);
  }
}
