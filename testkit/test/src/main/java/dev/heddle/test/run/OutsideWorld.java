// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.world.OpenWorld;
import dev.heddle.world.WorldAgent;

/// What is not done in the world of a run, where the agent is installed.
final class OutsideWorld {
  private OutsideWorld() {}

  /// Runs `action` outside of the world of the current code. It must not wait.
  static void run(Runnable action) {
    // without the agent OpenWorld cannot be loaded: it names classes that the agent defines
    if (WorldAgent.isInstalled()) {
      OpenWorld.outside(action);
    } else {
      action.run();
    }
  }
}
