// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.session.Outbox;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A roster of more than an outbox takes reaches a node without a log.
@Tag("C6")
class LargeRosterTest {
  private static final int NAMES = 10_700; // of a kilobyte each
  private static final int STALL_MILLIS = 3_000; // shorter than the silence that ends a session

  // with what a renewal takes to the next one shorter than the silence that ends a subscription
  private static final int SHORT_STALL_MILLIS = 2_000;

  private final VoterAndFollower nodes = new VoterAndFollower();
  private int names;

  @BeforeEach
  void fill() {
    while (names < NAMES) {
      register();
    }
    assertThat(nodes.state()).hasSizeGreaterThan(10 << 20).hasSizeGreaterThan(Outbox.FULL_BYTES);
  }

  private void register() {
    nodes.register("x".repeat(1_000) + ++names);
  }

  /// The log changes all the time.
  private void runFor(int millis) {
    for (int passed = 0; passed < millis; passed += 20) {
      register();
      nodes.time.runFor(20);
    }
  }

  private void checkEqual() {
    nodes.time.runFor(1_000);
    assertThat(nodes.follower.state()).isEqualTo(nodes.state());
    assertThat(nodes.voter.count(RosterMessage.Subscribe.class)).isEqualTo(1);
  }

  /// The voter had begun again each 4 s, for ever.
  @Test
  void stateAboveTheOutbox_arrivesOnce_andChangesMeanwhileFollowIt() {
    runFor(3_000);
    assertThat(nodes.follower.count(RosterMessage.Applied.class)).isPositive();
    checkEqual();
  }

  @Test
  void nodeThatStallsHalfWay_getsTheRestOfTheSameState_andAllChanges() {
    while (nodes.follower.count(RosterMessage.State.class) < 10) {
      nodes.time.runFor(1);
    }
    nodes.follower.pause();
    runFor(STALL_MILLIS);
    long came = nodes.follower.count(RosterMessage.State.class);
    assertThat(nodes.follower.service.isReady()).isFalse();
    nodes.follower.resume();
    runFor(2_000);
    assertThat(nodes.follower.count(RosterMessage.State.class)).isGreaterThan(came);
    checkEqual();
  }

  /// Each part came later than the silence that has a node follow another voter: with a new
  /// subscription the state began again, for ever.
  @Test
  void connectionOf200KilobytesASecond_carriesTheStateOnce() {
    checkSlow(200_000, true);
  }

  /// Acks waited behind 2 MiB, longer than the 6 s that end a session, again and again.
  @Test
  void connectionOf200KilobytesASecond_onWhichNothingOvertakes_carriesTheStateOnce() {
    checkSlow(200_000, false);
  }

  private void checkSlow(int bytesPerSecond, boolean areUrgentOvertaking) {
    nodes.time.runFor(10); // the session is open
    nodes.fillOutbox();
    nodes.slow(bytesPerSecond, areUrgentOvertaking);
    long most = nodes.state().length + 3L * Outbox.FULL_BYTES;
    for (long passed = 0; !nodes.follower.service.isReady(); passed += 1_000) {
      assertThat(passed).isLessThan(1_000 * most / bytesPerSecond);
      runFor(1_000);
    }
    nodes.time.runFor(60_000); // what waits comes
    assertThat(nodes.follower.states()).isEqualTo(1);
    assertThat(nodes.follower.state()).isEqualTo(nodes.state());
    assertThat(nodes.subscriptions()).isEqualTo(1);
  }

  /// The voter looked for room ten times a second, and others had taken nearly all of it.
  @Test
  void programThatFillsTheOutboxSoonAfterItHasRoom_doesNotKeepTheStateBack() {
    nodes.slow(500_000, true);
    nodes.keepFilling();
    for (int passed = 0; !nodes.follower.service.isReady(); passed += 1_000) {
      assertThat(passed).isLessThan(60_000); // 123 s with looks alone
      runFor(1_000);
    }
    assertThat(nodes.follower.states()).isEqualTo(1);
    assertThat(nodes.subscriptions()).isEqualTo(1);
  }

  /// While it stands, the outbox is full of the program's messages.
  @Test
  void nodeThatStallsWhenItHasTheState_getsEachChange_andNoOtherState() {
    nodes.time.runFor(3_000);
    assertThat(nodes.follower.service.isReady()).isTrue();
    long states = nodes.follower.states();
    nodes.follower.pause();
    nodes.fillOutbox();
    runFor(100);
    nodes.fillOutbox(); // what has left it waits for an acknowledgement now
    runFor(SHORT_STALL_MILLIS);
    nodes.follower.resume();
    runFor(1_000);
    assertThat(nodes.follower.states()).isEqualTo(states);
    checkEqual();
  }
}
