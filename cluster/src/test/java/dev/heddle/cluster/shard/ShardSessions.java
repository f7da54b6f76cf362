// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import java.util.function.Consumer;

/// What connects the nodes of a [ShardSimulation], and how it fails. It tells a life of a node of
/// its sessions.
interface ShardSessions {
  /// The first lives are there.
  void begin();

  /// A node has another life, or none.
  void restarted(SimulatedHost.Life before, SimulatedHost.Life life);

  /// A node stands still, until [SimulatedHost#resumed].
  void paused(SimulatedHost host);

  /// All faults end.
  void calm();

  /// Something travels in a session.
  ///
  /// @param received by the life with which the session is
  /// @param dropped the session has ended, or one of the two lives
  void travel(
      SimulatedHost.Life from, String to, Consumer<SimulatedHost.Life> received, Runnable dropped);

  /// What is still on its way, when all is quiet, has not come.
  void end();
}
