// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.process.Pid;

/// What a command has led to.
public sealed interface Outcome {
  /// The node holds a lease.
  ///
  /// @param admission the index of the entry that admitted it. Another one than before: the node
  ///   was lost in between, and owns nothing of what it owned
  record Admitted(long admission) implements Outcome {}

  /// The name belongs to the process.
  ///
  /// @param token grows with each ownership of any name: the index of the entry that granted it
  record Registered(long token) implements Outcome {}

  /// The name belongs to another process.
  record Taken(Pid owner, long token) implements Outcome {}

  /// A singleton of that name is declared.
  ///
  /// @param spec the one that counts: the first that was declared
  record Declared(SingletonSpec spec) implements Outcome {}

  /// The command has been carried out, or there was nothing to do.
  record Done() implements Outcome {}

  /// The command has changed nothing.
  record Refused(Reason reason) implements Outcome {}

  /// Why a command is refused.
  enum Reason {
    /// Another life of that node holds the lease, and there is no proof that it has ended.
    NODE_TAKEN,
    /// A later life has started in the same directory.
    SUPERSEDED,
    /// This life has left.
    LEFT,
    /// The admission that the command names has ended.
    NOT_ADMITTED,
    /// The type has another number of shards.
    SHARD_COUNT,
    /// The sender has said that it knows the answer.
    SETTLED
  }
}
