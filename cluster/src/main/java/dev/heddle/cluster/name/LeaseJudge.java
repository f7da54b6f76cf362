// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.LeaseExpiry;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.RosterCodec;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What a voter does while it leads the log: it declares leases lost, renews those of others, and
/// raises the format of the log. The agent thread, but for [#renew].
final class LeaseJudge {
  private static final long RAISE_NANOS = 1_000_000_000; // between two tries

  private final LeaseTimes times;
  private final RosterCodec codec;
  private final Set<String> others; // voters
  private final NodePort port;
  private final RosterReplica replica;
  private final LongSupplier leads;
  private final Consumer<Command> log;
  private boolean hasRaised; // the format of the log has been raised, at raisedAt
  private long raisedAt;
  private volatile @Nullable LeaseExpiry expiry; // while this voter leads; written by the agent

  /// @param others the other voters
  /// @param leads the term in which this voter leads; 0 when it does not
  /// @param log takes commands, which may be lost
  LeaseJudge(
      LeaseTimes times,
      RosterCodec codec,
      Set<String> others,
      NodePort port,
      RosterReplica replica,
      LongSupplier leads,
      Consumer<Command> log) {
    this.times = times;
    this.codec = codec;
    this.others = others;
    this.port = port;
    this.replica = replica;
    this.leads = leads;
    this.log = log;
  }

  /// Does what is due.
  ///
  /// @param term in which this voter leads; 0 when it does not. What the log had told when the term
  ///   was read has been applied here
  void due(long term, long now) {
    LeaseExpiry last = expiry;
    if (term == 0) {
      expiry = null;
      return;
    }
    if (last == null || last.term() != term) {
      last = new LeaseExpiry(times, term, replica.roster().applied());
      expiry = last;
    }
    List<Command.Lost> lost = last.poll(replica.roster(), now);
    // What it has seen meanwhile may be of the next leader, who renews that without the log. Then
    // this voter knows the next term by now.
    if (leads.getAsLong() == term) {
      lost.forEach(log);
      raise(now);
    }
  }

  /// How long until the next loss is to be declared; [Long#MAX_VALUE] when this voter has none.
  long left(long now) {
    LeaseExpiry last = expiry;
    return last == null ? Long.MAX_VALUE : last.left(now);
  }

  /// The log has applied something here: a renewal counts from now on.
  void applied(long now) {
    LeaseExpiry last = expiry;
    if (last != null) {
      last.see(replica.roster(), now);
    }
  }

  /// Renews a lease without the log. Any thread.
  ///
  /// @param term in which this voter has led at a moment after the renewal began
  /// @return the admission; 0 when the log has to renew it
  long renew(Command.Renew renewal, long term, long now) {
    LeaseExpiry last = expiry;
    long admission = last == null ? 0 : last.renew(renewal, term, now);
    if (admission != 0) {
      replica.renewed(renewal.node());
    }
    return admission;
  }

  /// Raises the format to what all voters know, as soon as all of them are in session and have said
  /// so.
  private void raise(long now) {
    int known = codec.formats().newest();
    for (String voter : others) {
      known = Math.min(known, port.logFormat(voter));
    }
    boolean isDue = !hasRaised || now - raisedAt >= RAISE_NANOS;
    if (known > codec.inForce(replica.roster()) && isDue) {
      hasRaised = true;
      raisedAt = now;
      log.accept(new Command.Raise(known));
    }
  }
}
