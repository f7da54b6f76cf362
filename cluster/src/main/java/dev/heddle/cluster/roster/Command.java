// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.process.Pid;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One entry of the log that a [Roster] is made of. Applied twice, a command changes nothing more
/// than once: a sender that hears nothing sends the same one again.
public sealed interface Command {
  /// Admits a life of a node, or renews its lease.
  ///
  /// @param proof that earlier lives of the same directory have ended; null without a directory
  /// @param lostNanos this lease may be declared lost so long after it was applied; a judge with a
  ///   longer time takes that
  record Renew(String node, int life, @Nullable StorageProof proof, long lostNanos)
      implements Command {
    /// With the time of the judge.
    public Renew(String node, int life, @Nullable StorageProof proof) {
      this(node, life, proof, 0);
    }
  }

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

  /// From now on the log has this format, if it has an older one: all voters know it.
  record Raise(int format) implements Command {}

  /// A command about shards. Repeated, it does nothing more.
  sealed interface ShardCommand extends Command {}

  /// A node uses a type of shards.
  ///
  /// @param count of its shards; the same at all nodes
  /// @param isHost whether it may own some
  record HostShards(String node, long admission, String type, int count, boolean isHost)
      implements ShardCommand {
    /// How many shards a type may have.
    public static final int MOST = 65_536;

    /// Checks the count.
    public HostShards {
      if (count < 1 || count > MOST) {
        throw new IllegalArgumentException(
            "type '%s' has %d shards; it may have 1 to %d".formatted(type, count, MOST));
      }
    }
  }

  /// A node hosts no shards any more, for the rest of its admission: others get them.
  record WithdrawHost(String node, long admission) implements ShardCommand {}

  /// Shards get another owner.
  record AssignShards(String type, List<Assignment> assignments) implements ShardCommand {
    /// Copies the list.
    public AssignShards {
      assignments = List.copyOf(assignments);
    }
  }

  /// One shard gets another owner.
  ///
  /// @param latest the generation that this was decided by: void when there is a later one
  /// @param to a host
  record Assignment(int shard, long latest, String to) {}

  /// A node acts for these shards no more, and has handed them over.
  record ReleaseShards(String node, long admission, String type, List<Release> releases)
      implements ShardCommand {
    /// Copies the list.
    public ReleaseShards {
      releases = List.copyOf(releases);
    }
  }

  /// One shard is released.
  ///
  /// @param next the generation that follows
  record Release(int shard, long next) {}

  /// A command about singletons.
  sealed interface SingletonCommand extends Command {}

  /// Declares a singleton, unless there is one of that name.
  record DeclareSingleton(Origin origin, SingletonSpec spec) implements SingletonCommand {}

  /// A node can run these singletons, and no others of a range of names, for the rest of its
  /// admission. What it has said of names outside of the range stays.
  ///
  /// @param after the range has the names after this one; all from the first on when it is empty
  /// @param upTo the last name of the range; null for a range without an end
  record OfferSingletons(
      String node, long admission, String after, @Nullable String upTo, Set<String> names)
      implements SingletonCommand {
    /// Copies the set, and checks that its names are of the range.
    public OfferSingletons {
      names = SortedNames.copyOf(names);
      for (String name : names) {
        if (!contains(after, upTo, name)) {
          throw new IllegalArgumentException(
              "node '%s' offers singleton '%s', which is not after '%s' and up to '%s'"
                  .formatted(node, name, after, upTo));
        }
      }
    }

    /// These singletons, and no others at all.
    public OfferSingletons(String node, long admission, Set<String> names) {
      this(node, admission, "", null, names);
    }

    /// Whether it says all that the node can run.
    public boolean isWhole() {
      return after.isEmpty() && upTo == null;
    }

    /// Whether a name is of the range.
    boolean contains(String name) {
      return contains(after, upTo, name);
    }

    private static boolean contains(String after, @Nullable String upTo, String name) {
      return name.compareTo(after) > 0 && (upTo == null || name.compareTo(upTo) <= 0);
    }
  }

  /// A singleton has ended and is not to be started again: void when its name has had an owner
  /// since.
  ///
  /// @param declared the index of the entry that had declared it
  /// @param token by which its process owned the name
  record FinishSingleton(String name, long declared, long token) implements SingletonCommand {}

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
