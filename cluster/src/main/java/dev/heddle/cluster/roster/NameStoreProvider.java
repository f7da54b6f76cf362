// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/// Makes the [NameStore] of a voter. `ServiceLoader` finds it, and only when voters are named: an
/// implementation brings many classes with it.
public interface NameStoreProvider {
  /// Opens the log of a voter, and applies what its directory holds. The log then works in the
  /// background: commands wait until a majority of the voters is there, and the first time of all
  /// until all of them are.
  ///
  /// @throws IOException when the directory cannot be read or written
  NameStore open(Setup setup) throws IOException;

  /// What a voter needs.
  ///
  /// @param voters the names of the nodes that vote: 1, or 3 and more
  /// @param directory of this node, which is one of the voters; stays open as long as the store
  /// @param listener is told of the state that the directory holds, too
  /// @param codec with the formats of the log that this voter knows
  record Setup(
      Set<String> voters,
      NodeDirectory directory,
      VoterTransport transport,
      NameStore.Listener listener,
      RosterCodec codec,
      Limits limits) {
    /// Checks the voters.
    public Setup {
      voters = SortedNames.copyOf(voters);
      if (!voters.contains(directory.node())) {
        throw new IllegalArgumentException(
            "node '%s' is none of the voters %s".formatted(directory.node(), voters));
      }
      if (voters.size() == 2) {
        throw new IllegalArgumentException(
            "two voters %s are worse than one: name one, or three".formatted(voters));
      }
    }

    /// The name of this voter's node.
    public String node() {
      return directory.node();
    }
  }

  /// Times and sizes.
  ///
  /// @param election a voter that has heard nothing of the leader for this time, or up to twice as
  ///   long, wants to lead itself
  /// @param call a call of another voter fails after this time
  /// @param submit a command or a barrier is tried again for this time
  /// @param snapshotEntries after so many entries the state is written down, and the log is cut
  record Limits(Duration election, Duration call, Duration submit, int snapshotEntries) {
    /// 1 s, 1 s, 5 s, 10,000 entries.
    public static final Limits DEFAULT =
        new Limits(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(5), 10_000);

    /// Checks that all are positive.
    public Limits {
      if (!election.isPositive() || !call.isPositive() || !submit.isPositive()) {
        throw new IllegalArgumentException(
            "limits are positive: election %s, call %s, submit %s"
                .formatted(election, call, submit));
      }
      if (snapshotEntries < 1) {
        throw new IllegalArgumentException(
            "a snapshot after %d entries".formatted(snapshotEntries));
      }
    }
  }
}
