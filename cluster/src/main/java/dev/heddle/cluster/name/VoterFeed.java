// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.name.RosterMessage.Part;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseExpiry;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.wire.NodeLife;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/// What a voter tells nodes that are none: the state, then each command that is applied, in the
/// order of their session. The agent thread.
///
/// A node may know only the format before the one in force. A command that this one has no words
/// for is told to it as the whole state.
final class VoterFeed {
  private static final int PART_BYTES = 512 * 1024; // of a frame; half of its limit

  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.name");

  /// @param format that both know
  private record Subscription(NodeLife node, long number, int format) {}

  private final RosterSender sender;
  private final RosterCodec codec;
  private final RosterReplica replica;
  private final LogClient log;
  private final LongSupplier clock;
  private final long entryNanos; // a voter without an entry for longer is behind
  private final Map<String, Subscription> subscriptions = new HashMap<>(); // by node
  private final Set<String> refused = new HashSet<>(); // what was logged
  private long appliedAt; // the last entry

  VoterFeed(
      RosterSender sender,
      RosterCodec codec,
      RosterReplica replica,
      LogClient log,
      LeaseTimes times,
      LongSupplier clock) {
    this.sender = sender;
    this.codec = codec;
    this.replica = replica;
    this.log = log;
    this.clock = clock;
    this.entryNanos = LeaseExpiry.longestNanos(times);
    this.appliedAt = clock.getAsLong();
  }

  void received(NodeLife from, RosterMessage message) {
    switch (message) {
      case RosterMessage.Subscribe(long number) -> {
        Subscription known = subscriptions.get(from.node());
        if (known == null || !known.node().equals(from) || known.number() < number) {
          begin(new Subscription(from, number, sender.format(from.node())));
        }
      }
      case RosterMessage.Submit(long id, var command) ->
          log.submit(
              command,
              (outcome, failure) -> {
                if (outcome instanceof Outcome.Admitted) {
                  repeat(from.node(), command);
                }
                send(
                    from.node(),
                    outcome == null
                        ? new RosterMessage.Failed(id, failure)
                        : new RosterMessage.Answered(id, outcome));
              });
      case RosterMessage.Unreadable(long id, String why) ->
          send(from.node(), new RosterMessage.Failed(id, why));
      case RosterMessage.Barrier(long id) ->
          log.barrier((passed, failure) ->
              send(
                  from.node(),
                  passed == null
                      ? new RosterMessage.Failed(id, failure)
                      : new RosterMessage.Passed(id, replica.roster().applied())));
      case RosterMessage.NoVoter _ -> {} // a voter follows none
      case RosterMessage.State _,
          RosterMessage.Applied _,
          RosterMessage.Answered _,
          RosterMessage.Passed _,
          RosterMessage.Failed _ -> {} // of a node that has taken this one for none
    }
  }

  void ended(NodeLife node) {
    subscriptions.values().removeIf(it -> it.node().equals(node));
  }

  private void begin(Subscription subscription) {
    if (subscription.format() == 0) {
      refused(subscription.node().node());
      return;
    }
    subscriptions.put(subscription.node().node(), subscription);
    if (replica.isHere() && !sendState(subscription)) {
      subscriptions.remove(subscription.node().node());
    }
  }

  /// Its commands fail with the same words.
  private void refused(String node) {
    String why = sender.obstacle(node);
    if (!why.isEmpty() && refused.add(why)) {
      LOG.log(System.Logger.Level.WARNING, "the log is not told: " + why);
    }
  }

  private boolean sendState(Subscription to) {
    byte[] state = codec.snapshot(replica.roster(), to.format());
    for (int at = 0; at < state.length; at += PART_BYTES) {
      int end = Math.min(state.length, at + PART_BYTES);
      byte[] part = Arrays.copyOfRange(state, at, end);
      Part which = end == state.length ? Part.LAST : Part.MORE;
      if (!send(to, new RosterMessage.State(to.number(), which, part))) {
        return false;
      }
    }
    return true;
  }

  /// A delta that cannot be sent ends the subscription: its silence has the node subscribe again.
  void applied(Delta delta) {
    appliedAt = clock.getAsLong();
    subscriptions
        .values()
        .removeIf(it ->
            RosterCodec.has(it.format(), delta.command())
                ? !send(it, new RosterMessage.Applied(it.number(), delta))
                : !sendState(it));
  }

  /// A lease may have been renewed without the log. So that the node knows that its subscription is
  /// there, and that this voter reaches the others, it is told of an entry that it has. Not by one
  /// that reaches the leader and applies nothing: its silence has the node follow another one.
  private void repeat(String node, Command renewal) {
    Subscription to = subscriptions.get(node);
    boolean isBehind = clock.getAsLong() - appliedAt > entryNanos;
    if (to != null && replica.isHere() && !isBehind) {
      long applied = replica.roster().applied();
      Delta known = new Delta(applied, applied, renewal, to.format());
      if (!send(to, new RosterMessage.Applied(to.number(), known))) {
        subscriptions.remove(node);
      }
    }
  }

  /// The state was replaced as a whole, or is here only now.
  void replaced() {
    appliedAt = clock.getAsLong();
    subscriptions.values().removeIf(it -> !sendState(it));
  }

  /// In the format that the node has subscribed with.
  private boolean send(Subscription to, RosterMessage message) {
    return sender.send(to.node().node(), message, to.format());
  }

  private boolean send(String to, RosterMessage message) {
    return sender.send(to, message);
  }
}
