// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static dev.heddle.cluster.shard.FakePort.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Bounced;
import dev.heddle.cluster.shard.ShardMessage.Deliver;
import dev.heddle.cluster.shard.ShardMessage.EndOfHandoff;
import dev.heddle.cluster.shard.ShardMessage.Flush;
import dev.heddle.cluster.shard.ShardMessage.Flushed;
import dev.heddle.cluster.shard.ShardMessage.Forward;
import dev.heddle.cluster.shard.ShardMessage.HandoffTaken;
import dev.heddle.cluster.shard.ShardMessage.ReplyWanted;
import dev.heddle.process.SendResult;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// One shard at node `a`, step by step.
class ShardTest {
  private static final long SECOND = 1_000_000_000L;

  private final FakePort port = new FakePort();
  private long entities;
  private final Shard shard = new Shard(port, () -> ++entities, ShardWindow.DEFAULT);

  private static @Nullable Holder holder(@Nullable String node) {
    return node == null ? null : new Holder(node, 1);
  }

  private void owned(long generation, @Nullable String owner, @Nullable String predecessor) {
    shard.view(new ShardState(generation, holder(owner), holder(predecessor), 0, null), 0);
  }

  private void moving(long generation, String owner, long next, @Nullable String successor) {
    shard.view(new ShardState(generation, holder(owner), null, next, holder(successor)), 0);
  }

  private SendResult offer(String text) {
    return shard.offer(message("a", "k", text), 0);
  }

  private void deliver(String from, long generation, String text) {
    shard.received(from, new Deliver(generation, message(from, "k", text)), 0);
  }

  // ---- the sender ----

  @Test
  @Tag("C8")
  void messages_whileTheirShardMoves_areHeld_andLeaveWhenTheOldOwnerHasNoneOfThem() {
    owned(5, "b", null);
    offer("1");
    moving(5, "b", 9, "c");
    offer("2");
    assertThat(port.take())
        .containsExactly("b: Deliver 5 1", "b: Flush[generation=5, isOver=false]");

    owned(9, "c", "b");
    offer("3");
    shard.received("b", new Bounced(5, message("a", "k", "1")), 0);
    assertThat(port.take()).isEmpty();
    shard.received("b", new Flushed(5), 0);

    assertThat(port.take()).containsExactly("c: Deliver 9 1", "c: Deliver 9 2", "c: Deliver 9 3");
  }

  @Test
  void messages_toAnOwnerWhoseSessionHasEnded_areUnreachable_andGoOnInTheNextOne() {
    owned(5, "b", null);
    port.sessions.remove("b");
    shard.sessionEnded("b", 0);
    assertThat(offer("1")).isEqualTo(SendResult.UNREACHABLE);

    port.sessions.add("b");
    assertThat(offer("2")).isEqualTo(SendResult.ACCEPTED);
    assertThat(port.take()).containsExactly("b: Deliver 5 2");
  }

  @Test
  @Tag("C9")
  void messages_thatAreHeld_haveABound() {
    for (int i = 0; i < ShardWindow.DEFAULT.messages(); i++) {
      assertThat(offer("early")).isEqualTo(SendResult.ACCEPTED);
    }
    assertThat(offer("one more")).isEqualTo(SendResult.FULL);

    Shard other = new Shard(port, () -> ++entities, ShardWindow.DEFAULT);
    EntityMessage large = new EntityMessage("a", "k", 0, "large", ShardWindow.DEFAULT.bytes());
    assertThat(other.offer(large, 0)).isEqualTo(SendResult.ACCEPTED);
    assertThat(other.offer(message("a", "k", "small"), 0)).isEqualTo(SendResult.FULL);
  }

  @Test
  @Tag("C8")
  void message_thatIsBouncedAfterLaterOnesHaveLeft_isNotSentAgain() {
    owned(5, "b", null);
    offer("1");
    port.sessions.remove("b");
    shard.sessionEnded("b", 0);
    owned(9, "c", null);
    offer("2");
    port.take();

    shard.received("b", new Bounced(5, message("a", "k", "1")), 0);

    assertThat(port.take()).containsExactly("LOST 1");
  }

  // ---- the old owner ----

  @Test
  @Tag("C6")
  @Tag("C8")
  void owner_endsItsEntities_thenForwardsWhatTheyLeave_thenReleases() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    deliver("b", 5, "2");
    moving(5, "a", 9, "c");
    deliver("b", 5, "3");
    assertThat(port.take()).containsExactly("start 1 k 5", "1 gets 1", "1 gets 2", "end 1 MOVE");

    shard.entityEnded(1, List.of(message("b", "k", "2")), null, 0);
    deliver("b", 5, "4");

    assertThat(port.take())
        .containsExactly(
            "c: Forward 9 2",
            "c: Forward 9 3",
            "c: EndOfHandoff[next=9]",
            "release 9",
            "b: Bounced 5 4");
  }

  @Test
  void handoff_inANewSession_isSentAsAWhole_untilItIsTaken() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    moving(5, "a", 9, "c");
    shard.entityEnded(1, List.of(message("b", "k", "1")), null, 0);
    port.take();

    port.sessions.remove("c");
    shard.sessionEnded("c", 0);
    port.sessions.add("c");
    shard.progress(0);
    assertThat(port.take()).containsExactly("c: Forward 9 1", "c: EndOfHandoff[next=9]");
    shard.received("c", new HandoffTaken(9, true), 0);
    port.sessions.remove("c");
    shard.sessionEnded("c", 0);
    port.sessions.add("c");
    shard.progress(0);
    assertThat(port.take()).isEmpty();
    shard.progress(SECOND);
    assertThat(port.take()).containsExactly("release 9"); // the log may have lost it
  }

  @Test
  @Tag("C3")
  void handoff_thatComesTooLate_isToldToTheSenders() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    moving(5, "a", 9, "c");
    shard.entityEnded(1, List.of(message("b", "k", "1")), null, 0);
    port.take();

    shard.received("c", new HandoffTaken(9, false), 0);

    assertThat(port.take()).containsExactly("b: LOST 1");
  }

  @Test
  void owner_withoutASessionToItsSuccessor_releasesAfterTwoSeconds() {
    port.sessions.remove("c");
    owned(5, "a", null);
    moving(5, "a", 9, "c");
    shard.progress(2 * SECOND - 1);
    assertThat(port.take()).isEmpty();

    shard.progress(2 * SECOND);
    assertThat(port.take()).containsExactly("release 9");
  }

  @Test
  @Tag("C8")
  void flush_ofAGenerationThatIsOver_isAnsweredWhenItsEntitiesHaveEnded_andInOrder() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    port.take();

    shard.received("b", new Flush(5, true), 0);
    assertThat(port.take()).containsExactly("end 1 LOST");
    deliver("b", 5, "2"); // behind what the entity may leave
    assertThat(port.take()).isEmpty();
    shard.entityEnded(1, List.of(message("b", "k", "1")), null, 0);

    assertThat(port.take())
        .containsExactly("b: Bounced 5 1", "b: Bounced 5 2", "b: Flushed[generation=5]");
  }

  // ---- the new owner ----

  @Test
  @Tag("C6")
  @Tag("C8")
  void successor_beginsWhenItHasSeenTheReleaseAndTheMarker_withWhatWasForwarded() {
    shard.received("b", new Forward(9, message("c", "k", "1")), 0);
    deliver("c", 9, "2");
    shard.received("b", new EndOfHandoff(9), 0);
    assertThat(port.take()).containsExactly("b: HandoffTaken[next=9, isInTime=true]");

    owned(9, "a", "b");

    assertThat(port.take()).containsExactly("start 1 k 9", "1 gets 1", "1 gets 2");
  }

  @Test
  @Tag("C1")
  void handoff_whoseSessionEnds_isTakenAsAWholeInTheNextOne() {
    owned(9, "a", "b");
    shard.received("b", new Forward(9, message("c", "k", "1")), 0);
    port.sessions.remove("b");
    shard.sessionEnded("b", 0);
    port.sessions.add("b");
    for (String text : List.of("1", "2")) {
      shard.received("b", new Forward(9, message("c", "k", text)), 0);
    }
    shard.received("b", new EndOfHandoff(9), 0);

    assertThat(port.take())
        .containsExactly(
            "b: HandoffTaken[next=9, isInTime=true]", "start 1 k 9", "1 gets 1", "1 gets 2");
  }

  @Test
  @Tag("C6")
  void successor_doesNotBeginBeforeTheMarker_unlessThereIsNoSessionForTwoSeconds() {
    owned(9, "a", "b");
    deliver("c", 9, "2");
    shard.progress(100 * SECOND);
    port.sessions.remove("b");
    shard.sessionEnded("b", 100 * SECOND);
    shard.progress(102 * SECOND - 1);
    assertThat(port.take()).isEmpty();

    shard.progress(102 * SECOND);
    assertThat(port.take()).containsExactly("start 1 k 9", "1 gets 2");
    shard.received("b", new Forward(9, message("c", "k", "1")), 102 * SECOND);
    shard.received("b", new EndOfHandoff(9), 102 * SECOND);
    assertThat(port.take()).containsExactly("b: HandoffTaken[next=9, isInTime=false]");
  }

  @Test
  @Tag("C6")
  void successor_onTheSameNode_waitsForTheEntitiesOfTheLastGeneration() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    owned(5, null, null);
    owned(9, "a", null);
    deliver("b", 9, "2");
    assertThat(port.take()).containsExactly("start 1 k 5", "1 gets 1", "end 1 LOST");

    shard.entityEnded(1, List.of(), null, 0);
    assertThat(port.take()).containsExactly("start 2 k 9", "2 gets 2");
  }

  // ---- entities ----

  @Test
  @Tag("C8")
  void entity_thatEndsForLackOfWork_hasASuccessor_whichGetsWhatItHasLeftFirst() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    port.isIdle = true;
    shard.progress(port.idle); // not before
    port.isIdle = false;
    deliver("b", 5, "3");
    assertThat(port.take()).containsExactly("start 1 k 5", "1 gets 1", "end 1 IDLE");

    shard.entityEnded(1, List.of(message("b", "k", "2")), null, 0);

    assertThat(port.take()).containsExactly("start 2 k 5", "2 gets 2", "2 gets 3");
  }

  @Test
  @Tag("C6")
  void entities_ofANodeWithoutALease_end_andAreStartedAgainWithIt() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    port.mayAct = false;
    shard.progress(0);
    shard.entityEnded(1, List.of(message("b", "k", "1")), null, 0);
    shard.progress(0);
    assertThat(port.take()).containsExactly("start 1 k 5", "1 gets 1", "end 1 LOST");

    port.mayAct = true;
    shard.progress(0);
    assertThat(port.take()).containsExactly("start 2 k 5", "2 gets 1");
  }

  /// Else each key that was refused would be kept, and an entity started for it later.
  @Test
  @Tag("C9")
  void keysOfRefusedMessages_whileTheNodeMayNotAct_areNotKept() {
    owned(5, "a", null);
    port.mayAct = false;
    int most = (int) Shard.MOST_BYTES;
    shard.received("b", new Deliver(5, new EntityMessage("b", "k", 0, "large", most)), 0);
    shard.received("b", new Deliver(5, message("b", "new", "1")), 0);
    deliver("b", 5, "2");
    assertThat(port.take()).containsExactly("b: FULL 1", "b: FULL 2");

    port.mayAct = true;
    shard.progress(0);
    assertThat(port.take()).containsExactly("start 1 k 5", "1 gets large");
    shard.received("b", new Deliver(5, message("b", "new", "3")), 0);
    assertThat(port.take()).containsExactly("start 2 new 5", "2 gets 3");
  }

  @Test
  @Tag("C3")
  void entity_thatFailsBeforeItTakesAnything_costsOneMessage() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    deliver("b", 5, "2");
    port.take();

    shard.entityEnded(
        1, List.of(message("b", "k", "1"), message("b", "k", "2")), "it has failed", 0);

    assertThat(port.take()).containsExactly("b: ENTITY_FAILED 1", "start 2 k 5", "2 gets 2");
  }

  // ---- requests ----

  private static EntityMessage request(String origin, long ask, String text) {
    return new EntityMessage(origin, "k", ask, text, 10);
  }

  @Test
  @Tag("C5")
  void request_thatIsHandedOverToItsOwnNode_isNotMissingThere_whenItsAskerWantsToKnow() {
    owned(5, "a", null);
    deliver("b", 5, "1");
    moving(5, "a", 9, "c");
    shard.received("b", new Deliver(5, request("b", 7, "2")), 0);
    moving(5, "a", 9, null); // node `c` is lost before the hand-over
    moving(5, "a", 11, "a");
    shard.entityEnded(1, List.of(), null, 0);
    port.take();

    shard.received("b", new ReplyWanted(7), 0);

    assertThat(port.take()).isEmpty(); // not NotHere
    owned(11, "a", "a");
    assertThat(port.take()).containsExactly("start 2 k 11", "2 gets 2");
  }

  @Test
  @Tag("C5")
  void request_thatIsGivenUpWhileItIsHeld_isNotSent() {
    long ask = port.asks.begin(Long.MAX_VALUE);
    var answer = port.asks.answer(ask);
    shard.offer(request("a", ask, "1"), 0);
    shard.offer(message("a", "k", "2"), 0);
    answer.cancel(false);

    owned(5, "b", null);

    assertThat(port.take()).containsExactly("b: Deliver 5 2");
    assertThat(shard.sender().size()).isZero();
  }

  @Test
  @Tag("C3")
  void messagesHeldForAnOwnerThatIsOutOfTouch_fail_asWhatIsSentThenIsRefused() {
    owned(5, "b", null);
    port.result = SendResult.FULL;
    offer("1");
    port.sessions.remove("b");
    shard.sessionEnded("b", 0);
    shard.progress(SECOND);
    assertThat(port.take()).isEmpty(); // it may come back

    shard.progress(2 * SECOND);

    assertThat(port.take()).containsExactly("REFUSED 1");
    assertThat(offer("2")).isEqualTo(SendResult.UNREACHABLE);
  }
}
