// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NameStoreProvider.Setup;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeerId;
import org.jspecify.annotations.Nullable;

/// Renews leases at the leader, without an entry of the log: see `LeaseExpiry` for when that may
/// be.
///
/// **Thread** any; nothing here waits.
final class Renewals {
  /*
   * One try at the voter that this one follows, which asks the others whether it leads, then its
   * listener. What fails, for whatever reason, is renewed by the log: also at a leader of a release
   * that knows no such call. A failure here is told to the caller with the answer, too: an agent
   * counts the renewals that it has begun.
   */

  /// Makes the bytes of a command.
  interface Encoder {
    /// The bytes of a command.
    ///
    /// @param leader that they are for
    byte[] encode(Command command, RaftPeerId leader);
  }

  private final VoterCalls calls;
  private final RosterCodec codec;
  private final Encoder encoder;
  private final NameStore.Listener listener;
  private final Supplier<@Nullable RaftVoter> voter;
  private final Function<Command, CompletableFuture<Outcome>> log;

  /// @param log takes what the leader does not renew
  Renewals(
      Setup setup,
      VoterCalls calls,
      Encoder encoder,
      Supplier<@Nullable RaftVoter> voter,
      Function<Command, CompletableFuture<Outcome>> log) {
    this.calls = calls;
    this.codec = setup.codec();
    this.listener = setup.listener();
    this.encoder = encoder;
    this.voter = voter;
    this.log = log;
  }

  /// Has the leader renew a lease, or the log, if the leader does not.
  CompletableFuture<Outcome> submit(Command.Renew renewal) {
    CompletableFuture<Long> admission;
    try {
      admission = renew(renewal);
    } catch (RuntimeException e) { // of the encoder, for instance
      admission = CompletableFuture.failedFuture(e);
    }
    return admission
        .exceptionally(_ -> 0L)
        .thenCompose(at ->
            at == 0
                ? log.apply(renewal)
                : CompletableFuture.completedFuture(new Outcome.Admitted(at)));
  }

  /// Completes with the admission; with 0 when the log has to renew it.
  private CompletableFuture<Long> renew(Command.Renew renewal) {
    RaftVoter now = voter.get();
    RaftPeerId leader = now == null ? null : now.leader();
    if (now == null || leader == null) {
      return CompletableFuture.completedFuture(0L);
    }
    return leader.equals(now.id())
        ? renew(now, renewal)
        : calls
            .call(
                VoterId.node(leader.toString()), VoterCalls.RENEW, encoder.encode(renewal, leader))
            .thenApply(answer -> ByteBuffer.wrap(answer).getLong());
  }

  /// Renews a lease for another voter.
  CompletableFuture<byte[]> handle(byte[] body) throws IOException {
    RaftVoter now = voter.get();
    if (now == null || !(codec.decodeCommand(body) instanceof Command.Renew renewal)) {
      throw new IOException("this voter has not started, or the command is no renewal");
    }
    return renew(now, renewal)
        .thenApply(admission -> ByteBuffer.allocate(Long.BYTES).putLong(0, admission).array());
  }

  private CompletableFuture<Long> renew(RaftVoter leader, Command.Renew renewal) {
    return leader.confirm().thenApply(term -> listener.renewed(renewal, term));
  }
}
