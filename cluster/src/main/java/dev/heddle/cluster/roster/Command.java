// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.process.Pid;
import org.jspecify.annotations.Nullable;

/// One entry of the log that a [Roster] is made of. Applied twice, a command changes nothing more
/// than once: a sender that hears nothing sends the same one again.
public sealed interface Command {
  /// Admits a life of a node, or renews its lease.
  ///
  /// @param proof that earlier lives of the same directory have ended; null without a directory
  record Renew(String node, int life, @Nullable StorageProof proof) implements Command {}

  /// The lease of a life is over.
  ///
  /// @param renewal the index of the last renewal that its judge has applied: a later one in the
  ///   log makes this command void
  record Lost(String node, int life, long renewal) implements Command {}

  /// A node leaves, and owns nothing any more.
  record Leave(String node, long admission) implements Command {}

  /// Takes a name for a process of the node of origin.
  record Register(Origin origin, String name, Pid pid) implements Command {
    /// Checks that the process is one of the node of origin: its names go with that node's lease.
    public Register {
      if (!pid.node().equals(origin.node())) {
        throw new IllegalArgumentException(
            "node '%s' takes the name '%s' for %s, a process of another node"
                .formatted(origin.node(), name, pid));
      }
    }
  }

  /// Gives a name back, if the ownership is still the one with this token.
  record Unregister(Origin origin, String name, long token) implements Command {}

  /// Which request of which admission of a node a command is.
  ///
  /// @param admission the index that [Outcome.Admitted] has told
  /// @param number of the request; each request of an admission has one of its own
  /// @param settled all requests with lower numbers have been answered: their outcomes are dropped
  record Origin(String node, long admission, long number, long settled) {
    /// Checks the numbers.
    public Origin {
      if (settled > number) {
        throw new IllegalArgumentException(
            "request " + number + " of " + node + " is not settled, as it says: " + settled);
      }
    }
  }
}
