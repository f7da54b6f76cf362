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

    /// This voter has begun to lead: [NameStore#term] tells the term. Any thread; must not wait.
    default void leads() {}

    /// A node renews its lease here, at a voter that has led in this term at a moment after the
    /// renewal began. Any thread; must not wait.
    ///
    /// @return the admission; 0 when the log has to renew it
    default long renewed(Command.Renew renewal, long term) {
      return 0;
    }
  }

  /// Puts a command into the log. It is sent again until it is answered or its time is over: then
  /// the future fails, and the command may or may not be applied later. The leader may renew a
  /// lease without the log.
  CompletableFuture<Outcome> submit(Command command);

  /// Completes when this voter has applied all that was committed before the call.
  ///
  /// @return the index that has been applied here
  CompletableFuture<Long> barrier();

  /// Whether this voter leads the log, as far as it knows.
  default boolean isLeader() {
    return term() != 0;
  }

  /// The term in which this voter leads the log, as far as it knows; 0 when it does not. What was
  /// put into the log in earlier terms was told to the listener before.
  long term();

  /// Has another voter lead, if this one leads: so the log goes on when this one ends, and nobody
  /// waits until an election is due. The one that was heard of last is asked first.
  ///
  /// @return completes with whether another one has taken the lead over; soon, also when none does
  CompletableFuture<Boolean> handOver();

  @Override
  void close();
}
