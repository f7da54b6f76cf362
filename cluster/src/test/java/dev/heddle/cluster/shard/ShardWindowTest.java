// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static dev.heddle.cluster.shard.FakePort.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Deliver;
import dev.heddle.cluster.shard.ShardMessage.HandoffTaken;
import dev.heddle.cluster.shard.ShardMessage.Taken;
import dev.heddle.process.SendResult;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How much waits for one shard at node `a`, and where requests are.
class ShardWindowTest {
  private static final long SECOND = 1_000_000_000L;

  private final FakePort port = new FakePort();
  private long entities;
  private final Shard shard = new Shard(port, () -> ++entities, ShardWindow.DEFAULT);

  private static @Nullable Holder holder(@Nullable String node) {
    return node == null ? null : new Holder(node, 1);
  }

  private void owned(long generation, String owner) {
    shard.view(new ShardState(generation, holder(owner), null, 0, null), 0);
  }

  private void moving(long next, String successor) {
    shard.view(new ShardState(5, holder("a"), null, next, holder(successor)), 0);
  }

  private SendResult offer() {
    return shard.offer(message("a", "k", "m"), 0);
  }

  private void fill() {
    int accepted = 0;
    while (offer().isAccepted()) {
      accepted++;
    }
    assertThat(accepted).isEqualTo(ShardWindow.DEFAULT.messages());
  }

  private List<String> told() {
    return port.take().stream().filter(it -> it.contains("Taken[")).toList();
  }

  @Test
  @Tag("C9")
  void window_isFull_untilTheOwnerSaysThatMessagesWereTaken() {
    owned(5, "b");
    fill();
    assertThat(offer()).isEqualTo(SendResult.FULL);
    assertThat(shard.sender().hasRoom()).isFalse();

    shard.received("b", new Taken(4, 100, 1_000), 0); // of an earlier generation
    shard.received("c", new Taken(5, 100, 1_000), 0); // of another node
    assertThat(offer()).isEqualTo(SendResult.FULL);

    shard.received("b", new Taken(5, 500, 5_000), 0);
    assertThat(shard.sender().hasRoom()).isTrue();
    assertThat(offer()).isEqualTo(SendResult.ACCEPTED);
  }

  @Test
  @Tag("C9")
  void window_isOpen_afterTheEndOfTheSession_andAfterAFlush() {
    owned(5, "b");
    fill();
    port.sessions.remove("b");
    shard.sessionEnded("b", 0);
    port.sessions.add("b");
    assertThat(shard.sender().sent()).isZero();
    fill();

    owned(9, "c");
    shard.received("b", new ShardMessage.Flushed(5), 0);
    assertThat(shard.sender().sent()).isZero();
    fill();
  }

  @Test
  @Tag("C9")
  void connectionWithoutSpace_holdsMessages_inOrder() {
    owned(5, "b");
    port.result = SendResult.FULL;
    assertThat(offer()).isEqualTo(SendResult.ACCEPTED);
    assertThat(shard.offer(message("a", "k", "2"), 0)).isEqualTo(SendResult.ACCEPTED);
    assertThat(port.take()).isEmpty();

    port.result = SendResult.ACCEPTED;
    shard.progress(0);
    assertThat(port.take()).containsExactly("b: Deliver 5 m", "b: Deliver 5 2");
  }

  private void deliver(int count) {
    for (int i = 0; i < count; i++) {
      shard.received("b", new Deliver(5, message("b", "k", "m")), 0);
    }
  }

  /// The message as its owner here has it.
  private void taken(int count) {
    for (int i = 0; i < count; i++) {
      shard.taken(message("b", "k", "m").withCredit(1), 0);
    }
  }

  @Test
  @Tag("C9")
  void owner_tellsWhatWasTaken_inPortions_andTheRestLater() {
    owned(5, "a");
    deliver(100);
    port.take();

    taken(61);
    assertThat(told()).isEmpty();
    taken(1);
    assertThat(told()).containsExactly("b: Taken[generation=5, count=62, bytes=620]");

    taken(3);
    assertThat(told()).isEmpty();
    shard.progress(SECOND);
    assertThat(told()).containsExactly("b: Taken[generation=5, count=3, bytes=30]");
    shard.progress(2 * SECOND);
    assertThat(told()).isEmpty();
  }

  @Test
  @Tag("C9")
  void owner_saysNothing_whileMuchWaitsForThatNode() {
    owned(5, "a");
    deliver(500);
    port.hasRoom = false;
    taken(200);
    shard.progress(SECOND);
    assertThat(told()).isEmpty();

    port.hasRoom = true;
    shard.progress(2 * SECOND);
    assertThat(told()).containsExactly("b: Taken[generation=5, count=200, bytes=2000]");
  }

  @Test
  @Tag("C9")
  void owner_countsNothingOfASessionThatHasEnded() {
    owned(5, "a");
    deliver(100);
    shard.sessionEnded("b", 0);
    deliver(1); // in the next one
    port.take();

    taken(100); // of the first
    shard.progress(SECOND);
    assertThat(told()).isEmpty();
    shard.taken(message("b", "k", "m").withCredit(2), 0);
    shard.progress(2 * SECOND);
    assertThat(told()).containsExactly("b: Taken[generation=5, count=1, bytes=10]");
  }

  @Test
  @Tag("C3")
  void refusal_failsWhatIsHeld() {
    assertThat(offer()).isEqualTo(SendResult.ACCEPTED);
    shard.refuse();
    assertThat(port.take()).containsExactly("REFUSED m");
    assertThat(shard.sender().size()).isZero();
  }

  // ---- requests ----

  private void handOver() {
    owned(5, "a");
    shard.received("c", new Deliver(5, new EntityMessage("c", "k", 7, "ask", 10)), 0);
    shard.received("c", new Deliver(5, message("c", "k", "m")), 0);
    moving(9, "b");
    EntityMessage ask = new EntityMessage("c", "k", 7, "ask", 10);
    shard.entityEnded(1, List.of(ask, message("c", "k", "m")), null, 0);
    port.take();
  }

  @Test
  @Tag("C5")
  void request_thatIsHandedOver_isToldToItsAsker_whenTheSuccessorHasIt() {
    handOver();
    shard.received("b", new HandoffTaken(9, true), 0);

    assertThat(port.take().stream().filter(it -> it.contains("HandedOver")))
        .singleElement()
        .asString()
        .startsWith("c: HandedOver")
        .contains("ask=7", "to=b");
  }

  @Test
  @Tag("C3")
  void successor_thatHasHandedTheShardOn_answersNevertheless_andNothingIsReportedLost() {
    handOver();
    shard.view(new ShardState(12, holder("d"), null, 0, null), 0); // before the answer
    assertThat(port.take()).isEmpty();
    shard.received("b", new HandoffTaken(9, true), 0);

    assertThat(port.take().toString()).doesNotContain("LOST");
    assertThat(shard.owner().isQuiet()).isTrue();
  }

  @Test
  @Tag("C3")
  void successor_thatHasHandedTheShardOn_andIsLost_mayHaveHadTheMessages() {
    handOver();
    shard.view(new ShardState(12, holder("d"), null, 0, null), 0);
    port.sessions.remove("b");
    shard.sessionEnded("b", 0);

    assertThat(port.take()).containsExactly("c: LOST ask", "c: LOST m");
  }
}
