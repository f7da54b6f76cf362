// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.ProgramFrames;
import java.util.List;
import java.util.function.Function;

/// Finds the line of the program that has called Heddle or the JDK.
final class ProgramSite {
  private static final StackWalker WALKER = StackWalker.getInstance();

  // the rooms of a simulation; Simulation itself is never between a program and what it calls
  private static final List<String> SIMULATION =
      List.of(
          "dev.heddle.test.file.",
          "dev.heddle.test.host.",
          "dev.heddle.test.net.",
          "dev.heddle.test.nio.",
          "dev.heddle.test.run.",
          "dev.heddle.test.time.",
          "dev.heddle.world.");

  private ProgramSite() {}

  /// The frame, for [dev.heddle.coroutine.tree.SpawnSites#describe]; about 1 us.
  static Object caller() {
    return WALKER.walk(frames ->
        frames
            .filter(frame -> isProgram(frame.getClassName()))
            .findFirst()
            .<Object>map(Function.identity())
            .orElse("unknown"));
  }

  /// Whether a class is neither of the JDK nor of Heddle.
  static boolean isProgram(String className) {
    return ProgramFrames.isProgram(className)
        && SIMULATION.stream().noneMatch(className::startsWith);
  }
}
