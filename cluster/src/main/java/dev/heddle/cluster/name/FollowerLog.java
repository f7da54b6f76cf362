// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.wire.NodeLife;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
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
   * States.
   *
   * from      event                                        to        what follows
   * NONE      a voter is in session                        FOLLOWS   Subscribe with the next number
   * FOLLOWS   its session ends                             NONE      open tries fail
   * FOLLOWS   nothing of the subscription for a time, or   FOLLOWS   the next voter by name, which
   *           a delta is missing                                     may be the same; a new number
   *
   * While there is a subscription, and all of it was sent, the voter repeats a delta before each
   * answer to a renewal. So silence shows the end of the subscription, as well as a voter that is
   * cut off from the others.
   *
   * Messages with another number are of an earlier subscription. Open tries stay with the voter
   * that they were sent to: when it answers no more, they fail after a time.
   *
   * Threads. The agent.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.name");

  /// Longer than a voter tries it: at the leader, then by the log.
  private static final long TRY_NANOS =
      Limits.DEFAULT.call().plus(Limits.DEFAULT.submit()).plusSeconds(1).toNanos();

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
  private ByteArrayOutputStream state = new ByteArrayOutputStream();
  private @Nullable String voter;
  private String warned = "";
  private boolean isFresh; // the state of this subscription is here
  private long heard;

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
    isFresh = false;
    heard = now;
    state = new ByteArrayOutputStream(); // reset() would keep the memory of a long state
    var _ = sender.send(node, new RosterMessage.Subscribe(++number));
  }

  @Override
  public void due(long nanos) {
    now = nanos;
    List<Try<?>> lost = new ArrayList<>();
    submits.values().removeIf(it -> nanos - it.sent() >= TRY_NANOS && lost.add(it));
    barriers.values().removeIf(it -> nanos - it.sent() >= TRY_NANOS && lost.add(it));
    fail(lost, "the voter has not answered in time");
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
        if (isMine(from, of)) {
          state(part, content);
        }
      }
      case RosterMessage.Applied(long of, var delta) -> {
        if (isMine(from, of) && isFresh && !replica.follow(delta)) {
          follow(from); // something is missing
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

  private boolean isMine(String from, long of) {
    boolean isMine = from.equals(voter) && of == number;
    heard = isMine ? now : heard;
    return isMine;
  }

  private void state(RosterMessage.Part part, byte[] content) {
    state.writeBytes(content);
    if (part == RosterMessage.Part.LAST) {
      byte[] whole = state.toByteArray();
      state = new ByteArrayOutputStream();
      replica.replace(codec.restore(whole));
      isFresh = true;
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
    if (from.equals(voter)) {
      voter = null;
      next(from);
    }
  }
}
