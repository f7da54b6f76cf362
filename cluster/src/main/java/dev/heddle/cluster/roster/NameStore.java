// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.util.concurrent.CompletableFuture;

/// The log behind a [Roster], as one voter sees it.
///
/// Any thread calls it, and no call waits. It calls its listener on a thread of its own, one call
/// at a time, in the order of the log.
public interface NameStore extends AutoCloseable {
  /// Receives what the log applies.
  interface Listener {
    /// A command has been applied at this voter.
    void applied(Delta delta, Outcome outcome);

    /// A snapshot has replaced the state of this voter.
    void replaced(byte[] snapshot);
  }

  /// Puts a command into the log. It is sent again until it is answered or its time is over: then
  /// the future fails, and the command may or may not be applied later.
  CompletableFuture<Outcome> submit(Command command);

  /// Completes when this voter has applied all that was committed before the call.
  ///
  /// @return the index that has been applied here
  CompletableFuture<Long> barrier();

  /// Whether this voter leads the log, as far as it knows.
  boolean isLeader();

  /// Has another voter lead, if this one leads: so the log goes on when this one ends, and nobody
  /// waits until an election is due. The one that was heard of last is asked first.
  ///
  /// @return completes with whether another one has taken the lead over; soon, also when none does
  CompletableFuture<Boolean> handOver();

  @Override
  void close();
}
