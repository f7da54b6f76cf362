// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.test.host.HostDriver;
import org.jspecify.annotations.Nullable;

/// A loop of a run: that of its program, or that of a node.
public sealed interface RunMember permits RunTurn, NodeLoop {
  /// What the loop has instead of the operating system.
  Machine machine();

  /// Whether it is that of a node.
  boolean isNode();

  /// The nodes of the run.
  Nodes nodes();

  /// That of a loop; null: it belongs to no run.
  static @Nullable RunMember of(LoopRuntime loop) {
    return loop.scheduler().reactor().driver() instanceof HostDriver driver
            && driver.turn() instanceof RunMember member
        ? member
        : null;
  }

  /// That of the current coroutine.
  ///
  /// @throws IllegalStateException outside of a simulation
  static RunMember current() {
    RunMember member = of(LoopRuntime.current());
    if (member == null) {
      throw new IllegalStateException(
          "the loop of this coroutine is not simulated; use this inside of Simulation.run or of a"
              + " test with @HeddleTest");
    }
    return member;
  }
}
