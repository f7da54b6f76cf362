// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.nio.HostNetwork;
import dev.heddle.world.OpenWorld;
import dev.heddle.world.WorldAgent;

/// A loop of a run: that of its program, or that of a node.
public sealed interface RunMember permits RunTurn, NodeLoop {
  /// What the loop has instead of the operating system.
  Machine machine();

  /// Whether it is that of a node.
  boolean isNode();

  /// The nodes of the run.
  Nodes nodes();

  /// That of the current coroutine, or of the current thread of a simulation with the agent.
  ///
  /// @throws IllegalStateException outside of a simulation
  static RunMember current() {
    if (CoroutineNode.currentOrNull() != null
        && LoopRuntime.current().scheduler().reactor().driver() instanceof HostDriver driver
        && driver.turn() instanceof RunMember member) {
      return member;
    }
    // OpenWorld cannot be loaded without the agent
    if (WorldAgent.isInstalled()
        && OpenWorld.current() instanceof HostNetwork.Networked world
        && world.network().driver().turn() instanceof RunMember member) {
      return member;
    }
    throw new IllegalStateException(
        "there is no simulation here; call it inside Simulation.run or @HeddleTest, and without the"
            + " agent in a coroutine");
  }
}
