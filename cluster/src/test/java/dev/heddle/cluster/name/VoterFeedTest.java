// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a voter tells nodes that hold no log.
@Tag("C6")
class VoterFeedTest {
  private long now; // ns
  private int wakes;
  private final Map<String, Integer> formats = new TreeMap<>(Map.of("d", 3, "e", 3));
  private final Map<String, Integer> space = new TreeMap<>(); // for so many messages, by node
  private final Map<String, CompletableFuture<@Nullable Void>> rooms = new TreeMap<>();
  private final Map<String, List<RosterMessage>> sent = new TreeMap<>();
  private final RosterMessageCodec messages = new RosterMessageCodec(RosterCodec.RELEASE);
  private final RosterReplica replica = new RosterReplica("a", System::nanoTime, _ -> {});
  private final VoterFeed feed =
      new VoterFeed(
          new RosterSender("a", new Port(), RosterCodec.RELEASE),
          RosterCodec.RELEASE,
          replica,
          new Admitting(),
          LeaseTimes.DEFAULT,
          () -> now,
          () -> wakes++);

  private final class Port implements ProcesslessPort {
    @Override
    public boolean send(String node, byte[] content) {
      int left = space.getOrDefault(node, Integer.MAX_VALUE);
      space.put(node, Math.max(0, left - 1));
      if (left == 0) {
        return false;
      }
      sent.computeIfAbsent(node, _ -> new ArrayList<>()).add(messages.decode(content));
      return true;
    }

    @Override
    public CompletableFuture<@Nullable Void> room(String node) {
      return rooms.computeIfAbsent(node, _ -> new CompletableFuture<>());
    }

    @Override
    public int logFormat(String node) {
      return formats.getOrDefault(node, 0);
    }
  }

  /// Renews each lease without an entry.
  private static final class Admitting implements LogClient {
    @Override
    public void submit(Command command, Answer<Outcome> answer) {
      answer.done(new Outcome.Admitted(1), "");
    }

    @Override
    public void barrier(Answer<Long> answer) {}

    @Override
    public void due(long now) {}
  }

  /// The others missed the command, and were behind until the next one.
  @Test
  void subscriberThatStartsAgainAsTheReleaseBefore_keepsNoCommandFromTheOthers() {
    apply(new Command.Renew("a", 1, null));
    subscribe("d");
    subscribe("e");
    sent.clear();
    formats.put("d", 2); // its next session is open, and the end of the last one not seen yet
    apply(new Command.Raise(3));
    assertThat(sent.get("e"))
        .containsExactly(new RosterMessage.Applied(7, new Delta(1, 2, new Command.Raise(3))));
  }

  /// Its followers were told that they are heard for ever, and never asked another voter.
  @Test
  void voterThatReachesTheLeaderAndAppliesNothing_fallsSilent() {
    NodeLife node = new NodeLife("d", "main", 1);
    Command renewal = new Command.Renew("d", 1, null);
    feed.received(node, new RosterMessage.Subscribe(7));
    Delta first = new Delta(0, 1, renewal);
    replica.follow(first);
    feed.applied(first);
    sent.clear();
    feed.received(node, new RosterMessage.Submit(1, renewal));
    assertThat(sent.get("d")).anyMatch(RosterMessage.Applied.class::isInstance);
    sent.clear();
    now = Duration.ofMinutes(1).toNanos(); // an entry was due after 30 s
    feed.received(node, new RosterMessage.Submit(2, renewal));
    assertThat(sent.get("d")).noneMatch(RosterMessage.Applied.class::isInstance).isNotEmpty();
  }

  // ---- a state of several parts ----

  private static final int PARTS = 4;

  private long applied;

  private void subscribe(String node) {
    feed.received(new NodeLife(node, "main", 1), new RosterMessage.Subscribe(7));
  }

  private void apply(Command command) {
    Delta delta = new Delta(applied, ++applied, command);
    replica.follow(delta);
    feed.applied(delta);
  }

  private void register(String name) {
    Command.Origin origin = new Command.Origin("a", 1, applied, applied);
    apply(new Command.Register(origin, name, new Pid("a", "h", 1, 1)));
  }

  private void giveSpace(String node, int messages) {
    space.put(node, messages);
    CompletableFuture<@Nullable Void> room = rooms.remove(node);
    if (room != null) {
      room.complete(null);
    }
  }

  /// The log is applied up to a state of more than three parts.
  private void fill() {
    apply(new Command.Renew("a", 1, null));
    feed.replaced();
    for (int i = 0; i < 200; i++) {
      register("x".repeat(1_000) + i);
    }
  }

  /// What a node knows that was sent all this.
  private byte[] follow(String node) {
    RosterReplica follower = new RosterReplica(node, System::nanoTime, _ -> {});
    ByteArrayOutputStream state = new ByteArrayOutputStream();
    for (RosterMessage message : sent.get(node)) {
      switch (message) {
        case RosterMessage.State(_, RosterMessage.Part part, byte[] content) -> {
          state.writeBytes(content);
          if (part == RosterMessage.Part.LAST) {
            follower.replace(RosterCodec.RELEASE.restore(state.toByteArray()));
            state.reset();
          }
        }
        case RosterMessage.Applied(_, Delta delta) ->
            assertThat(follower.follow(delta)).as("%s", delta).isTrue();
        default -> throw new AssertionError(message);
      }
    }
    assertThat(state.size()).isZero();
    return RosterCodec.RELEASE.snapshot(follower.roster());
  }

  private byte[] known() {
    return RosterCodec.RELEASE.snapshot(replica.roster());
  }

  private List<RosterMessage> states(String node) {
    return sent.get(node).stream().filter(RosterMessage.State.class::isInstance).toList();
  }

  @Test
  void state_thatTheOutboxDoesNotTakeAtOnce_goesOnWhereItStopped() {
    fill();
    space.put("d", 2);
    subscribe("d");
    register("meanwhile");
    assertThat(sent.get("d")).hasSize(2);
    assertThat(feed.isIdle()).isFalse();
    giveSpace("d", 1);
    feed.due();
    assertThat(sent.get("d")).hasSize(3);
    giveSpace("d", Integer.MAX_VALUE);
    feed.due();
    assertThat(feed.isIdle()).isTrue();
    assertThat(states("d")).hasSize(PARTS);
    assertThat(follow("d")).isEqualTo(known());
    assertThat(feed.kept()).isZero();
  }

  @Test
  void change_thatTheOutboxDoesNotTake_isSentLater_andRenewalsDoNotOvertakeIt() {
    fill();
    subscribe("d");
    space.put("d", 0);
    register("one");
    register("two");
    giveSpace("d", Integer.MAX_VALUE);
    Command renewal = new Command.Renew("d", 1, null);
    feed.received(new NodeLife("d", "main", 1), new RosterMessage.Submit(1, renewal));
    sent.get("d").removeIf(RosterMessage.Answered.class::isInstance);
    feed.due();
    assertThat(states("d")).hasSize(PARTS);
    assertThat(follow("d")).isEqualTo(known());
  }

  @Test
  void nodesThatAreSentTheStateAtTheSameTime_shareOneCopy() {
    fill();
    for (String node : List.of("d", "e")) {
      space.put(node, 2);
      subscribe(node);
      register("meanwhile-" + node);
    }
    assertThat(feed.copies()).isEqualTo(1);
    giveSpace("d", Integer.MAX_VALUE);
    giveSpace("e", Integer.MAX_VALUE);
    feed.due();
    assertThat(feed.copies()).isZero();
    assertThat(follow("d")).isEqualTo(known());
    assertThat(follow("e")).isEqualTo(known());
  }

  @Test
  void changesBehindAStateThatStalls_areBounded_andALaterStateIsSentInTheirPlace() {
    fill();
    space.put("d", 2);
    subscribe("d");
    int most = 0;
    for (int i = 0; i < 2 * VoterFeed.MOST_CHANGES; i++) {
      register("again");
      most = Math.max(most, feed.kept());
    }
    assertThat(most).isEqualTo(VoterFeed.MOST_CHANGES);
    giveSpace("d", Integer.MAX_VALUE);
    feed.due();
    assertThat(states("d")).hasSize(2 * PARTS);
    assertThat(follow("d")).isEqualTo(known());
    register("later");
    assertThat(follow("d")).isEqualTo(known());
  }

  /// A change of 511 KiB counted as much as one of 50 bytes: 8 GiB could be kept.
  @Test
  void largeChangesBehindAStateThatStalls_areBoundedByTheirBytes() {
    fill();
    space.put("d", 2);
    subscribe("d");
    String large = "y".repeat(60_000);
    int changes = 2 * VoterFeed.MOST_CHANGE_BYTES / large.length();
    long most = 0;
    for (int i = 0; i < changes; i++) {
      register(large);
      most = Math.max(most, feed.keptBytes());
      assertThat(feed.keptBytes()).isGreaterThanOrEqualTo((long) feed.kept() * large.length());
    }
    assertThat(most)
        .isLessThanOrEqualTo(VoterFeed.MOST_CHANGE_BYTES)
        .isGreaterThan(VoterFeed.MOST_CHANGE_BYTES - 2 * large.length());
    giveSpace("d", Integer.MAX_VALUE);
    feed.due();
    assertThat(feed.keptBytes()).isZero();
    assertThat(follow("d")).isEqualTo(known());
  }

  @Test
  void roomOfAnOutbox_wakesTheAgentOnce() {
    fill();
    space.put("d", 2);
    subscribe("d");
    register("meanwhile");
    assertThat(wakes).isZero();
    giveSpace("d", Integer.MAX_VALUE);
    assertThat(wakes).isEqualTo(1);
  }

  /// Until the feed hears of the end of the session.
  @Test
  void nodeThatIsNotInSessionAnyMore_doesNotWakeTheAgent() {
    fill();
    space.put("d", 0);
    rooms.put("d", CompletableFuture.completedFuture(null));
    subscribe("d");
    feed.due();
    assertThat(wakes).isZero();
  }

  @Test
  void stateThatIsReplacedHalfWay_isSentToItsEnd_andTheLaterOneBehindIt() {
    fill();
    subscribe("e");
    space.put("d", 2);
    subscribe("d");
    apply(new Command.Renew("e", 1, null));
    feed.replaced();
    apply(new Command.Renew("d", 1, null));
    giveSpace("d", Integer.MAX_VALUE);
    feed.due();
    assertThat(states("d")).hasSize(2 * PARTS);
    assertThat(states("e")).hasSize(2 * PARTS);
    assertThat(follow("d")).isEqualTo(known());
    assertThat(follow("e")).isEqualTo(known());
  }

  @Test
  void end_ofTheSessionHalfWay_leavesNothing() {
    fill();
    space.put("d", 2);
    subscribe("d");
    register("meanwhile");
    feed.ended(new NodeLife("d", "main", 1));
    assertThat(feed.isIdle()).isTrue();
    assertThat(feed.kept()).isZero();
    assertThat(feed.copies()).isZero();
  }
}
