// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.observe.ClusterJfrEvents;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import dev.heddle.process.remote.LocalProcesses;

/// What the parts of a [RemoteNode] share. Immutable; any thread.
///
/// @param other the life of the other node that the session is with
/// @param self the name of this node
record RemoteContext(
    NodeLife other, String self, LocalProcesses local, FrameSink sink, SessionContents contents) {

  /// Whether an address belongs to the life of the other node.
  boolean isOfOther(Pid pid) {
    return pid.incarnation() == other.life()
        && pid.node().equals(other.node())
        && pid.host().equals(other.host());
  }

  ClusterJfrEvents.Pair pair() {
    return new ClusterJfrEvents.Pair(self, other.node(), other.life());
  }

  /// Sends a frame that is accepted unless the session has ended; then its end follows.
  void send(Frame frame) {
    var _ = sink.send(frame);
  }
}
