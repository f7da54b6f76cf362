// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import dev.heddle.world.WorldAgent;

/// Says from where a program gets the agent.
public final class ModuleProbe {
  private ModuleProbe() {}

  public static void main(String[] arguments) {
    System.out.println(WorldAgent.class.getModule() + " " + WorldAgent.options());
  }
}
