// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Queued in both lanes, behind the entries of a round: acts when the second one is reached.
final class RoundEnd {
  private final Runnable action;
  private boolean reachedOnce; // in the other lane

  RoundEnd(Runnable action) {
    this.action = action;
  }

  void reached() {
    if (reachedOnce) {
      action.run();
    }
    reachedOnce = true;
  }
}
