// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.world.WorldAgent;
import java.util.concurrent.atomic.AtomicBoolean;

/// Says after the first run of a JVM that the agent's option `packages` matches no class.
final class PointsNotice {
  private static final AtomicBoolean IS_CHECKED = new AtomicBoolean();

  private PointsNotice() {}

  /// Called after each run with the agent.
  static void check() {
    if (!IS_CHECKED.getAndSet(true) && WorldAgent.lacksPoints()) {
      AsyncLog.shared()
          .warning(
              "the agent heddle-world was started with "
                  + WorldAgent.options()
                  + ", and no class of these packages was loaded: nothing is preempted. Name the"
                  + " packages of the program, or packages=*",
              null);
    }
  }
}
