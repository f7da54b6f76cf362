// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.observe.log.AsyncLog;

/// Says, once in a JVM, what simulations without the agent do not control.
final class AgentNotice {
  static {
    AsyncLog.shared()
        .warning(
            "simulations run without the agent heddle-world; timed waits of the JDK are refused in"
                + " them, its clocks, random numbers and hash codes are real. Start Java with"
                + " -javaagent:heddle-world.jar, or use SimulationOptions.withAgent()",
            null);
  }

  private AgentNotice() {}

  /// Says it, unless it was said.
  static void give() {
    // the initialiser does it
  }
}
