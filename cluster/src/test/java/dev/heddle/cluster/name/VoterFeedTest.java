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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a voter tells nodes that hold no log.
@Tag("C6")
class VoterFeedTest {
  private long now; // ns
  private final Map<String, Integer> formats = new TreeMap<>(Map.of("d", 3, "e", 3));
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
          () -> now);

  private final class Port implements NodePort {
    @Override
    public boolean send(String node, byte[] content) {
      sent.computeIfAbsent(node, _ -> new ArrayList<>()).add(messages.decode(content));
      return true;
    }

    @Override
    public int logFormat(String node) {
      return formats.getOrDefault(node, 0);
    }

    @Override
    public boolean isAlive(Pid pid) {
      return false;
    }

    @Override
    public Runnable watch(Pid pid, Runnable ended) {
      return () -> {};
    }

    @Override
    public void cancel(Pid pid, String reason, long nanos) {}
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
    for (String node : List.of("d", "e")) {
      feed.received(new NodeLife(node, "main", 1), new RosterMessage.Subscribe(7));
    }
    formats.put("d", 2); // its next session is open, and the end of the last one not seen yet
    Delta raise = new Delta(0, 1, new Command.Raise(3));
    replica.follow(raise);
    feed.applied(raise);
    assertThat(sent.get("e")).containsExactly(new RosterMessage.Applied(7, raise));
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
}
