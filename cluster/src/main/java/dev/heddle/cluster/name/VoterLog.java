// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// The log at a voter.
final class VoterLog implements LogClient {
  private final NameStore store;
  private final Executor agent;

  VoterLog(NameStore store, Executor agent) {
    this.store = store;
    this.agent = agent;
  }

  @Override
  public void submit(Command command, Answer<Outcome> answer) {
    pass(store.submit(command), answer);
  }

  /// The store completes it after it has told its listener of all up to there, and what it tells
  /// goes the same way: so it is applied here before this answer is.
  @Override
  public void barrier(Answer<Long> answer) {
    pass(store.barrier().thenApply(_ -> 0L), answer);
  }

  private <T> void pass(CompletableFuture<T> from, Answer<T> answer) {
    var _ =
        from.handle((value, failure) -> { // a failure is made once: nobody has this stage
          agent.execute(() -> answer.done(value, failure == null ? "" : failure.toString()));
          return true;
        });
  }

  @Override
  public void due(long now) {}
}
