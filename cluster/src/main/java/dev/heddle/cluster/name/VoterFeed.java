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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What a voter tells nodes that are no voters: the state, then each command that is applied, in
/// the order of their session. The agent thread.
///
/// A node may know only the format before the one in force. A command that this one has no words
/// for is told to it as the whole state.
final class VoterFeed {
  /*
   * States of a subscription.
   *
   * from   event                                         to     what follows
   * (none) Subscribe, the state is not here yet          WAITS
   * (none) Subscribe                                     STATE  its parts, from the first one
   * WAITS  the state comes                               STATE  the same
   * STATE  the outbox takes the last part                LIVE   the changes behind that state
   * LIVE   a change                                      same   it is sent, in its turn
   * LIVE   a change that the format has no words for,    STATE  the present state
   *        or the next one is not kept any more
   * any    a later Subscribe, the end of the session     (none)
   *
   * A state is as long as the cluster is large, and an outbox takes 4 MiB. So a state is copied
   * once, and sent in parts: as many as the outbox takes now, and the others when it has room
   * again. What is applied meanwhile is kept, and sent behind. A change that the outbox does not
   * take is kept in the same way, and the subscription goes on.
   *
   * A state that was begun is sent to its end, whatever comes meanwhile: the other node takes the
   * parts of one subscription for one state.
   *
   * Bounds. Nodes that are sent a state at the same time share one copy, unless more changes than
   * are kept, or a whole state, came behind it before the last node had it. Each change is kept
   * once for all nodes. No more than MOST_CHANGES changes are kept, and no more than
   * MOST_CHANGE_BYTES of them: to a node that is further behind the present state is sent instead.
   * A node without a session has no subscription.
   *
   * I1. What a node is sent is a state, then each change behind it in order, or a later state.
   *     [VoterFeedTest, LargeRosterTest]
   * I2. Within a subscription no part of a state is sent a second time, however long the state is,
   *     however often the log changes and however slow the connection is. When the agent has found
   *     room in the outbox for each part, the node has the whole state. The agent is woken when
   *     half of the outbox is free, as other senders are; that it is before them is not promised.
   *     That silence begins no other subscription, see FollowerLog.
   *     [VoterFeedTest, LargeRosterTest]
   *
   * Rejected. To begin again when a part was not taken: a state above 4 MiB never arrives. To end
   * the subscription of a node that is too far behind: while the log changes fast it never gets a
   * state. A frame that no outbox refuses: the states of some nodes would end their sessions. To
   * look for room ten times a second only: other senders wait for it too, and leave a part of it.
   */
  private static final int PART_BYTES = 64 * 1024; // a slow connection carries one within a second

  static final int MOST_CHANGES = 16 * 1024; // of small ones the objects count, not the bytes

  /// Of the changes as the newest format writes them: one has up to 511 KiB.
  static final int MOST_CHANGE_BYTES = 16 * 1024 * 1024;

  private static final CompletableFuture<@Nullable Void> ROOM =
      CompletableFuture.completedFuture(null);

  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.name");

  /// A state as it was.
  ///
  /// @param next the first change behind it
  private record StateCopy(int format, byte[] bytes, long next) {} // equal ones are the same

  /// @param bytes of its command; 0 until a subscriber is known to be behind it
  private record Change(Delta delta, int bytes) {}

  private static final class Subscription {
    final NodeLife node;
    final long number;
    final int format; // that both know
    @Nullable StateCopy state; // that is being sent
    int sent; // bytes of it
    long next = NONE; // change that was not sent
    CompletableFuture<@Nullable Void> room = ROOM; // of the outbox, when it has refused something

    Subscription(NodeLife node, long number, int format) {
      this.node = node;
      this.number = number;
      this.format = format;
    }
  }

  private static final long NONE = -1; // before the first change

  private final RosterSender sender;
  private final RosterCodec codec;
  private final RosterReplica replica;
  private final LogClient log;
  private final LongSupplier clock;
  private final Runnable wake;
  private final long entryNanos; // a voter without an entry for longer is behind
  private final Map<String, Subscription> subscriptions = new HashMap<>(); // by node
  private final List<Change> changes = new ArrayList<>(); // that some subscriber was not sent yet
  private final Set<String> refused = new HashSet<>(); // what was logged
  private long first; // the number of the first of the changes
  private long changeBytes;
  private long appliedAt; // the last entry

  /// @param wake has [#due] called; any thread, never waits
  VoterFeed(
      RosterSender sender,
      RosterCodec codec,
      RosterReplica replica,
      LogClient log,
      LeaseTimes times,
      LongSupplier clock,
      Runnable wake) {
    this.sender = sender;
    this.codec = codec;
    this.replica = replica;
    this.log = log;
    this.clock = clock;
    this.wake = wake;
    this.entryNanos = LeaseExpiry.longestNanos(times);
    this.appliedAt = clock.getAsLong();
  }

  void received(NodeLife from, RosterMessage message) {
    switch (message) {
      case RosterMessage.Subscribe(long number) -> {
        Subscription known = subscriptions.get(from.node());
        if (known == null || !known.node.equals(from) || known.number < number) {
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
    subscriptions.values().removeIf(it -> it.node.equals(node));
    forget();
  }

  private void begin(Subscription subscription) {
    if (subscription.format == 0) {
      refused(subscription.node.node());
      return;
    }
    subscriptions.put(subscription.node.node(), subscription);
    advance(subscription);
    forget(); // what the one before was not sent
  }

  /// Its commands fail with the same words.
  private void refused(String node) {
    String why = sender.obstacle(node);
    if (!why.isEmpty() && refused.add(why)) {
      LOG.log(System.Logger.Level.WARNING, "the log is not told: " + why);
    }
  }

  // ---- what the log tells ----

  void applied(Delta delta) {
    appliedAt = clock.getAsLong();
    changes.add(new Change(delta, 0));
    advanceAll();
    if (!changes.isEmpty()) {
      keep(delta);
    }
  }

  /// Some subscriber is behind the last change.
  private void keep(Delta last) {
    Change change = new Change(last, codec.encode(last.command()).length);
    changes.set(changes.size() - 1, change);
    changeBytes += change.bytes();
    int dropped = 0;
    for (long left = changeBytes; isTooMuch(changes.size() - dropped, left); dropped++) {
      left -= changes.get(dropped).bytes();
    }
    forgetBefore(first + dropped);
  }

  private static boolean isTooMuch(int changes, long bytes) {
    return changes > MOST_CHANGES || bytes > MOST_CHANGE_BYTES;
  }

  /// The state was replaced as a whole, or is here only now.
  void replaced() {
    appliedAt = clock.getAsLong();
    forgetBefore(end());
    first++; // no subscription has this one next
    advanceAll();
  }

  /// A lease may have been renewed without the log. So that the node knows that its subscription is
  /// there, and that this voter reaches the others, it is told of an entry that it has. Not by one
  /// that reaches the leader and applies nothing: its silence has the node follow another one.
  private void repeat(String node, Command renewal) {
    Subscription to = subscriptions.get(node);
    boolean isBehind = clock.getAsLong() - appliedAt > entryNanos;
    if (to != null && isLive(to) && !isBehind) {
      long applied = replica.roster().applied();
      Delta known = new Delta(applied, applied, renewal, to.format);
      var _ = send(to, new RosterMessage.Applied(to.number, known));
    }
  }

  /// For tests: how many changes are kept.
  int kept() {
    return changes.size();
  }

  /// For tests: how many bytes they have.
  long keptBytes() {
    return changeBytes;
  }

  /// For tests: how many copies of states are kept.
  long copies() {
    return subscriptions.values().stream()
        .map(it -> it.state)
        .filter(Objects::nonNull)
        .distinct()
        .count();
  }

  // ---- what subscribers are sent ----

  /// Goes on where an outbox has room again.
  void due() {
    if (!isIdle()) {
      advanceAll();
    }
  }

  /// Whether each subscriber was sent everything.
  boolean isIdle() {
    return !replica.isHere() || subscriptions.values().stream().allMatch(this::isLive);
  }

  private boolean isLive(Subscription it) {
    return it.state == null && it.next == end();
  }

  private long end() {
    return first + changes.size();
  }

  private void advanceAll() {
    subscriptions.values().forEach(this::advance);
    forget();
  }

  private void advance(Subscription to) {
    if (!replica.isHere()) {
      return;
    }
    while (to.room.isDone() && !isLive(to)) {
      if (!(to.state == null ? sendChange(to) : sendPart(to, to.state))) {
        awaitRoom(to);
        return;
      }
    }
  }

  /// One that is there by now is found at the next look: a node that is not in session any more has
  /// room as well, and would wake the agent without end.
  private void awaitRoom(Subscription to) {
    to.room = sender.room(to.node.node());
    if (!to.room.isDone()) {
      var _ = to.room.thenRun(wake);
    }
  }

  /// @return false when the outbox has no room
  private boolean sendChange(Subscription to) {
    boolean isKept = to.next >= first;
    Delta change = isKept ? changes.get((int) (to.next - first)).delta() : null;
    if (change == null || !RosterCodec.has(to.format, change.command())) {
      to.state = copy(to.format, Math.max(first, to.next + 1));
      to.sent = 0;
      return true;
    }
    boolean isSent = send(to, new RosterMessage.Applied(to.number, change));
    to.next += isSent ? 1 : 0;
    return isSent;
  }

  /// @return false when the outbox has no room
  private boolean sendPart(Subscription to, StateCopy state) {
    if (to.sent == 0 && state.next() < first) { // the present one is as good a beginning
      to.state = copy(to.format, first);
      return true;
    }
    byte[] bytes = state.bytes();
    int end = Math.min(bytes.length, to.sent + PART_BYTES);
    Part which = end == bytes.length ? Part.LAST : Part.MORE;
    byte[] part = Arrays.copyOfRange(bytes, to.sent, end);
    if (!send(to, new RosterMessage.State(to.number, which, part))) {
      return false;
    }
    to.sent = end;
    if (which == Part.LAST) {
      to.state = null;
      to.next = state.next();
    }
    return true;
  }

  /// One that another node is being sent, or the present state.
  ///
  /// @param least the first change behind it, at the least
  private StateCopy copy(int format, long least) {
    for (Subscription other : subscriptions.values()) {
      StateCopy state = other.state;
      if (state != null && state.format() == format && state.next() >= least) {
        return state;
      }
    }
    return new StateCopy(format, codec.snapshot(replica.roster(), format), end());
  }

  /// Drops the changes that each subscriber was sent, or is sent a later state instead of.
  private void forget() {
    long least = end();
    for (Subscription it : subscriptions.values()) {
      long next = it.state == null ? it.next : it.state.next();
      least = next < first ? least : Math.min(least, next);
    }
    forgetBefore(least);
  }

  private void forgetBefore(long least) {
    List<Change> dropped = changes.subList(0, (int) (least - first));
    for (Change change : dropped) {
      changeBytes -= change.bytes();
    }
    dropped.clear();
    first = least;
  }

  /// In the format that the node has subscribed with.
  private boolean send(Subscription to, RosterMessage message) {
    return sender.send(to.node.node(), message, to.format);
  }

  private boolean send(String to, RosterMessage message) {
    return sender.send(to, message);
  }
}
