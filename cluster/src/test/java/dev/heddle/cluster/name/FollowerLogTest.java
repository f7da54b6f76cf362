// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.name.RosterMessage.Part;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.wire.NodeLife;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which voter a node without a log follows, and what it takes of what voters tell.
@Tag("C6")
class FollowerLogTest {
  private static final long SILENCE = LeaseTimes.DEFAULT.holdNanos() / 2;

  private record Sent(String to, RosterMessage message) {}

  private final List<Sent> sent = new ArrayList<>();
  private final RosterMessageCodec messages = new RosterMessageCodec(RosterCodec.RELEASE);
  private final RosterReplica replica = new RosterReplica("d", () -> 0, _ -> {});
  private final Roster voters = new Roster(); // what they have applied
  private final FollowerLog log =
      new FollowerLog(
          new NodeLife("d", "h", 1),
          Set.of("a", "b"),
          new RosterSender("d", new Port(), RosterCodec.RELEASE),
          RosterCodec.RELEASE,
          replica,
          LeaseTimes.DEFAULT);
  private long now; // ns
  private boolean isFull; // the outbox

  private final class Port implements ProcesslessPort {
    @Override
    public boolean send(String node, byte[] content) {
      return !isFull && sent.add(new Sent(node, messages.decode(content)));
    }
  }

  @BeforeEach
  void begin() {
    var _ = apply();
  }

  /// The next entry of the log.
  private Delta apply() {
    long before = voters.applied();
    Command command = new Command.Renew("a", 1, null);
    var _ = voters.apply(before + 1, command);
    return new Delta(before, before + 1, command);
  }

  private void silence() {
    now += SILENCE;
    log.due(now);
  }

  /// The voters that were asked so far, and the numbers of the subscriptions.
  private List<Sent> asked() {
    return sent.stream().filter(it -> it.message() instanceof RosterMessage.Subscribe).toList();
  }

  private static Sent subscribe(String to, long number) {
    return new Sent(to, new RosterMessage.Subscribe((1L << 32) + number));
  }

  private void state(String from, long number, Part part, byte[] content) {
    log.received(from, new RosterMessage.State((1L << 32) + number, part, content), now);
  }

  private void applied(String from, long number, Delta delta) {
    log.received(from, new RosterMessage.Applied((1L << 32) + number, delta), now);
  }

  /// The voter to which a request goes.
  private String followed() {
    log.barrier((_, _) -> {});
    return sent.getLast().to();
  }

  private byte[] whole() {
    return RosterCodec.RELEASE.snapshot(voters);
  }

  /// The parts before the silence were dropped, and those behind it ignored.
  @Test
  void state_whosePartsComeBeforeAndAfterATurnOfAnotherVoter_isTaken() {
    byte[] whole = whole();
    log.opened("a", now);
    log.opened("b", now);
    state("a", 1, Part.MORE, Arrays.copyOf(whole, 5));
    silence(); // b has its turn
    silence(); // a again
    silence();
    state("a", 1, Part.LAST, Arrays.copyOfRange(whole, 5, whole.length));
    assertThat(replica.isHere()).isTrue();
    assertThat(asked())
        .containsExactly(
            subscribe("a", 1), subscribe("b", 2), subscribe("a", 1), subscribe("b", 2));
    assertThat(followed()).isEqualTo("a");
  }

  /// As when there was no memory for it.
  @Test
  void state_thatCouldNotBeTaken_isAskedForAgain() {
    log.opened("a", now);
    state("a", 1, Part.MORE, Arrays.copyOf(whole(), 5));
    applied("a", 1, apply()); // comes behind the last part
    assertThat(asked()).containsExactly(subscribe("a", 1), subscribe("a", 2));
    state("a", 2, Part.LAST, whole());
    assertThat(replica.isHere()).isTrue();
  }

  @Test
  void delta_ofAVoterThatIsNotFollowedAnyMore_isApplied_andOneThatIsKnownIsNot() {
    log.opened("a", now);
    log.opened("b", now);
    state("a", 1, Part.LAST, whole());
    silence();
    assertThat(followed()).isEqualTo("b");
    Delta next = apply();
    applied("a", 1, next);
    assertThat(replica.roster().applied()).isEqualTo(2);
    assertThat(followed()).isEqualTo("a");
    state("b", 2, Part.LAST, whole());
    applied("b", 2, apply());
    applied("a", 1, next);
    assertThat(replica.roster().applied()).isEqualTo(3);
    assertThat(asked()).hasSize(2);
  }

  @Test
  void deltaThatIsMissing_beginsAnotherSubscription_andTheFormerOneCountsNoMore() {
    log.opened("a", now);
    state("a", 1, Part.LAST, whole());
    var _ = apply();
    applied("a", 1, apply());
    applied("a", 1, apply());
    assertThat(asked()).containsExactly(subscribe("a", 1), subscribe("a", 2));
    state("a", 1, Part.LAST, whole());
    assertThat(replica.roster().applied()).isEqualTo(1);
    state("a", 2, Part.LAST, whole());
    assertThat(replica.roster().applied()).isEqualTo(4);
  }

  @Test
  void subscriptionThatTheOutboxDoesNotTake_isSentWhenItHasRoom() {
    isFull = true;
    log.opened("a", now);
    log.due(now);
    isFull = false;
    log.due(now);
    log.due(now);
    assertThat(asked()).containsExactly(subscribe("a", 1));
  }

  @Test
  void sessionThatOpensAgain_hasAnotherSubscription_fromTheFirstPart() {
    byte[] whole = whole();
    log.opened("a", now);
    state("a", 1, Part.MORE, new byte[3]);
    log.ended("a", now);
    log.opened("a", now);
    state("a", 2, Part.LAST, whole);
    assertThat(replica.isHere()).isTrue();
    assertThat(asked()).containsExactly(subscribe("a", 1), subscribe("a", 2));
  }
}
