// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.wire.NodeLife;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The log at a node that is no voter: by way of a voter in session.
final class FollowerLog implements LogClient {
  /*
   * States of the subscription to a voter.
   *
   * from    event                                       to      what follows
   * (none)  the voter is in session, and its turn       ASKED   Subscribe with the next number
   *         comes for the first time in it
   * ASKED   the last part of the state has come         FRESH   the state is taken, unless a later
   *                                                             one is here
   * FRESH   a delta                                     FRESH   it is applied, unless it is known
   * FRESH   a delta before which something is missing   ASKED   Subscribe with the next number
   * ASKED   a delta: the state could not be taken       ASKED   the same
   * any     the session ends, or the node says that it  (none)  open tries fail
   *         is no voter
   *
   * One voter is followed: requests go to it. When nothing of its subscription has come for a time,
   * the next voter by name has its turn, which may be the same. While there is a subscription, and
   * all of it was sent, the voter repeats a delta before each answer to a renewal. So silence shows
   * a voter that is cut off from the others. But it may as well show a slow connection: what a
   * voter sends waits behind up to 6 MiB, 30 s at 200 KB/s. So silence moves the requests, and
   * ends no subscription: the parts that have come are kept, and the others go on coming,
   * whichever voter is followed meanwhile. The first one whose state is whole is followed, when
   * the state of the one that is followed is not. A voter that is asked again is asked with the
   * same number: it goes on where it is, and begins if it has not.
   *
   * All voters apply one log. So states and deltas of several voters fit together: the replica
   * passes over what it knows, and never goes back.
   *
   * I1. In one session a voter begins the state once, unless a delta is missing or the voter itself
   *     sends a later state: however slow the connection is, and however long a part takes. So the
   *     state arrives when the session lasts for as long as that takes; the session itself ends
   *     when no ack comes for 6 s. [FollowerLogTest, LargeRosterTest]
   * I2. Each voter has its turn while those before it are silent. [FollowerLogTest]
   *
   * Cost. A voter that had its turn sends its whole state, and then what is applied, until the
   * session ends; an unfinished state of each such voter takes memory here. So a silence of some
   * seconds may cost as many states as there are voters.
   *
   * Messages with another number are of an earlier subscription. Open tries stay with the voter
   * that they were sent to: when it answers no more, they fail after a time.
   *
   * Rejected. To subscribe anew after a silence: on a connection whose delay is longer than that
   * the state begins again for ever. To wait for a voter as long as it is in session: one that is
   * cut off from the others would be waited for without end. To double the time of silence: the
   * requests of a node that had a slow connection once wait for a voter that is cut off.
   *
   * Threads. The agent.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.name");

  /// Longer than a voter tries it: at the leader, then by the log.
  private static final long TRY_NANOS =
      Limits.DEFAULT.call().plus(Limits.DEFAULT.submit()).plusSeconds(1).toNanos();

  private static final class Subscription {
    final long number;
    boolean isSent;
    boolean isFresh; // its state is here, and each delta behind it
    ByteArrayOutputStream state = new ByteArrayOutputStream(); // the parts that have come

    Subscription(long number) {
      this.number = number;
    }
  }

  private record Try<T>(Answer<T> answer, String voter, long sent) {}

  private final String self;
  private final Set<String> voters;
  private final RosterSender sender;
  private final RosterCodec codec;
  private final RosterReplica replica;
  private final long silenceNanos;
  private final NavigableSet<String> inSession = new TreeSet<>(); // voters
  private final Map<Long, Try<Outcome>> submits = new LinkedHashMap<>();
  private final Map<Long, Try<Long>> barriers = new LinkedHashMap<>();
  private final Map<String, Subscription> subscriptions = new HashMap<>(); // by voter in session
  private @Nullable String voter; // that is followed
  private String warned = "";
  private long heard; // of its subscription, or when it was chosen

  // no two lives of a node use the same: an answer to the last one may come to this one
  private long number;
  private long ids;
  private long now;

  FollowerLog(
      NodeLife self,
      Set<String> voters,
      RosterSender sender,
      RosterCodec codec,
      RosterReplica replica,
      LeaseTimes times) {
    this.self = self.node();
    this.number = (long) self.life() << 32;
    this.ids = number;
    this.voters = voters;
    this.sender = sender;
    this.codec = codec;
    this.replica = replica;
    this.silenceNanos = times.holdNanos() / 2;
  }

  // ---- sessions ----

  void opened(String node, long nanos) {
    now = nanos;
    if (voters.contains(node)) {
      inSession.add(node);
      if (voter == null) {
        follow(node);
      }
    }
  }

  void ended(String node, long nanos) {
    now = nanos;
    inSession.remove(node);
    subscriptions.remove(node);
    List<Try<?>> lost = new ArrayList<>();
    takeOut(submits, node, lost);
    takeOut(barriers, node, lost);
    if (node.equals(voter)) {
      voter = null;
      next(node);
    }
    fail(lost, "the session with voter '" + node + "' has ended");
  }

  private static <T> void takeOut(Map<Long, Try<T>> from, String node, List<Try<?>> lost) {
    from.values().removeIf(it -> it.voter().equals(node) && lost.add(it));
  }

  private static void fail(List<Try<?>> tries, String why) {
    tries.forEach(it -> it.answer().done(null, why));
  }

  /// Follows the next voter by name.
  private void next(String after) {
    if (!inSession.isEmpty()) {
      String higher = inSession.higher(after);
      follow(higher == null ? inSession.first() : higher);
    }
  }

  private void follow(String node) {
    voter = node;
    heard = now;
    Subscription known = subscriptions.get(node);
    if (known == null) {
      subscribe(node);
    } else {
      send(node, known);
    }
  }

  private void subscribe(String node) {
    Subscription next = new Subscription(++number);
    subscriptions.put(node, next);
    send(node, next);
  }

  private void send(String node, Subscription it) {
    it.isSent = sender.send(node, new RosterMessage.Subscribe(it.number));
  }

  @Override
  public void due(long nanos) {
    now = nanos;
    List<Try<?>> lost = new ArrayList<>();
    submits.values().removeIf(it -> nanos - it.sent() >= TRY_NANOS && lost.add(it));
    barriers.values().removeIf(it -> nanos - it.sent() >= TRY_NANOS && lost.add(it));
    fail(lost, "the voter has not answered in time");
    subscriptions.forEach((node, it) -> {
      if (!it.isSent) { // the outbox was full
        send(node, it);
      }
    });
    if (voter == null) {
      next("");
    } else if (nanos - heard >= silenceNanos) {
      next(voter);
    }
  }

  // ---- tries ----

  @Override
  public void submit(Command command, Answer<Outcome> answer) {
    long id = ++ids;
    send(new RosterMessage.Submit(id, command), id, submits, answer);
  }

  @Override
  public void barrier(Answer<Long> answer) {
    long id = ++ids;
    send(new RosterMessage.Barrier(id), id, barriers, answer);
  }

  private <T> void send(RosterMessage message, long id, Map<Long, Try<T>> open, Answer<T> answer) {
    String to = voter;
    if (to == null) {
      answer.done(null, "none of the voters %s is in touch".formatted(voters));
      return;
    }
    String why;
    try {
      if (sender.send(to, message)) {
        open.put(id, new Try<>(answer, to, now));
        return;
      }
      why = sender.obstacle(to);
    } catch (IllegalArgumentException e) { // a command that is too large, for instance
      why = String.valueOf(e.getMessage());
    }
    answer.done(null, why.isEmpty() ? "voter '" + to + "' takes no more for now" : why);
  }

  // ---- what a voter says ----

  void received(String from, RosterMessage message, long nanos) {
    now = nanos;
    switch (message) {
      case RosterMessage.State(long of, var part, byte[] content) -> {
        Subscription mine = mine(from, of);
        if (mine != null) {
          state(from, mine, part, content);
        }
      }
      case RosterMessage.Applied(long of, var delta) -> {
        Subscription mine = mine(from, of);
        if (mine != null && mine.isFresh) {
          applied(from, delta);
        } else if (mine != null) { // it comes behind the last part, which could not be taken
          subscribe(from);
        }
      }
      case RosterMessage.Answered(long id, Outcome outcome) -> answer(submits.remove(id), outcome);
      case RosterMessage.Passed(long id, long index) -> answer(barriers.remove(id), index);
      case RosterMessage.Failed(long id, String why) -> {
        List<Try<?>> failed = new ArrayList<>(1);
        take(submits.remove(id), failed);
        take(barriers.remove(id), failed);
        fail(failed, why);
      }
      case RosterMessage.NoVoter(String why) -> noVoter(from, why);
      case RosterMessage.Subscribe _,
          RosterMessage.Submit _,
          RosterMessage.Unreadable _,
          RosterMessage.Barrier _ ->
          throw new IllegalStateException("a voter takes it: " + message);
    }
  }

  private static void take(@Nullable Try<?> from, List<Try<?>> to) {
    if (from != null) {
      to.add(from);
    }
  }

  private static <T> void answer(@Nullable Try<T> open, T value) {
    if (open != null) {
      open.answer().done(value, "");
    }
  }

  private @Nullable Subscription mine(String from, long of) {
    Subscription it = subscriptions.get(from);
    if (it == null || it.number != of) {
      return null;
    }
    heard = from.equals(voter) ? now : heard;
    return it;
  }

  private void state(String from, Subscription mine, RosterMessage.Part part, byte[] content) {
    mine.state.writeBytes(content);
    if (part == RosterMessage.Part.LAST) {
      byte[] whole = mine.state.toByteArray();
      mine.state = new ByteArrayOutputStream(); // reset() would keep the memory of a long state
      replica.replace(codec.restore(whole));
      mine.isFresh = true;
      prefer(from);
    }
  }

  private void applied(String from, Delta delta) {
    if (replica.follow(delta)) {
      prefer(from);
    } else { // something is missing
      subscribe(from);
    }
  }

  /// Follows a voter that keeps this node up to date, when the one that is followed does not.
  private void prefer(String from) {
    Subscription followed = voter == null ? null : subscriptions.get(voter);
    if (followed == null || !followed.isFresh) {
      voter = from;
      heard = now;
    }
  }

  private void noVoter(String from, String why) {
    if (!warned.equals(from)) {
      warned = from;
      LOG.log(
          System.Logger.Level.ERROR,
          "node '%s' has the voters %s, and node '%s' is none: %s"
              .formatted(self, voters, from, why));
    }
    inSession.remove(from);
    subscriptions.remove(from);
    if (from.equals(voter)) {
      voter = null;
      next(from);
    }
  }
}
