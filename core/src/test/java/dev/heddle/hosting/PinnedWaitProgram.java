// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Heddle;
import dev.heddle.scheduler.context.TimedWaits;

/// Prints why the loop does not serve timed waits here, after one of them.
final class PinnedWaitProgram {
  private PinnedWaitProgram() {}

  public static void main(String[] args) {
    Heddle.run(() -> Thread.sleep(1));
    System.out.println("served: " + TimedWaits.problem());
  }
}
