// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the soak takes for a fault of messages to entities: each kind of fault is found in a
/// history that has one, and each reason for which a loss is none excuses that loss alone.
@Tag("C8")
class SoakCallsTest {
  @TempDir Path folder;

  private final SoakHistory history = new SoakHistory();
  private SoakOwners owners;

  private List<String> judge() {
    owners = new SoakOwners(folder);
    return new SoakCalls(history.inOrder(), owners).judge();
  }

  private ListAssert<String> assertLost(int count) {
    return assertThat(judge()).hasSize(count).allMatch(it -> it.startsWith("lost: "));
  }

  /// `n2` owns the shard, 1 was got, 2 was not, and 3 is got by the next owner.
  private void lossWhileTheShardMoves() {
    history.owner("n2", 5, 10).owner("n3", 9, 30);
    history.sent(1, 20).sent(2, 21).sent(3, 40);
    history.got("n2", 1, 5, 1, 22).got("n3", 1, 9, 3, 41);
  }

  @Test
  void messagesInOrder_alsoOfAnEntityThatMoves_areRight() throws IOException {
    for (int i = 1; i <= 4; i++) {
      history.sent(i, 10L * i);
    }
    history.got("n2", 1, 5, 1, 11).got("n2", 1, 5, 2, 21);
    history.got("n3", 1, 9, 3, 31).got("n3", 2, 9, 4, 41); // it was passivated
    history.asked(Kind.REPLIED, 4, 41).asked(Kind.REFUSED, 5, 51);
    assertThat(judge()).isEmpty();
    assertThat(owners.judge()).isEmpty();
    assertThat(owners.ownerships(SoakCalls.SHARD)).isEqualTo(2);
    assertThat(owners.ownerships(SoakCalls.ENTITY)).isEqualTo(2);
  }

  @Test
  void messageThatComesTwice_isADuplicate() {
    history.got("n2", 1, 5, 1, 11).got("n3", 1, 9, 1, 12);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("duplicate: "));
  }

  @Test
  void messageBehindALaterOne_isOutOfOrder() {
    history.got("n2", 1, 5, 2, 11).got("n2", 1, 5, 1, 12);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("order: "));
  }

  // ---- ends of sessions ----

  @Test
  void messageDroppedInAnOpenSession_isLost_alsoWhenItEndsBeforeOrLater() {
    history.owner("n2", 5, 10).sent(1, 20).sent(2, 21).sent(3, 22);
    history.got("n2", 1, 5, 1, 23).got("n2", 1, 5, 3, 24);
    assertLost(1);
    history.ended("n1", 1, "n2", 1, 19).ended("n1", 1, "n2", 1, 25);
    assertLost(1);
    history.ended("n1", 1, "n2", 1, 22);
    assertThat(judge()).isEmpty();
  }

  @Test
  void forwardDroppedWhileAShardMoves_isLost_unlessThoseTwoLoseTouch() {
    lossWhileTheShardMoves();
    assertLost(1);
    history.ended("n2", 1, "n4", 1, 31).ended("n4", 1, "n3", 1, 31).ended("n1", 1, "n4", 1, 31);
    assertLost(1); // a node on its way, and one that is not
    history.ended("n3", 1, "n2", 1, 31);
    assertThat(judge()).isEmpty();
  }

  @Test
  void messageThatWasGivenBackAndDropped_isLost_unlessItsSenderLosesTouchWithAnOwner() {
    lossWhileTheShardMoves();
    history.ended("n2", 1, "n1", 2, 31); // of another life of the sender's node
    assertLost(1);
    history.ended("n2", 1, "n1", 1, 31);
    assertThat(judge()).isEmpty();
  }

  @Test
  void messageKeptForAnOwnerAndDropped_isLost_alsoWhenAFormerOwnerLosesTouch() {
    history.owner("n4", 3, 5);
    lossWhileTheShardMoves();
    history.ended("n1", 1, "n4", 1, 31).ended("n2", 1, "n4", 1, 31).died("n4", 31);
    assertLost(1);
    history.died("n2", 31);
    assertThat(judge()).isEmpty();
  }

  @Test
  void lossOfALease_excusesNothing() {
    lossWhileTheShardMoves();
    history.failed("n2", Kind.LEASE_LOST, 0, 31);
    assertLost(1);
  }

  @Test
  void nodeThatLeavesInTime_takesNothingWithIt() {
    lossWhileTheShardMoves();
    history.leaving("n2", 1, "n1", 0, 29).leftInTime("n2", 1, 32).died("n2", 33);
    history.ended("n2", 1, "n1", 1, 31).ended("n1", 1, "n2", 1, 31).goodbye("n1", "n2", 1, 32);
    assertLost(1);
    history.ended("n1", 1, "n2", 1, 28); // a session before
    assertThat(judge()).isEmpty();
  }

  @Test
  void nodeThatDoesNotLeaveInTime_mayHaveTakenWhatItHad() {
    lossWhileTheShardMoves();
    history.leaving("n2", 1, "n1", 0, 29);
    history.ended("n1", 1, "n2", 1, 31).goodbye("n1", "n2", 1, 32);
    assertThat(judge()).isEmpty();
  }

  @Test
  void messageSentWhileItsNodeLeaves_mayGoWithIt_andOneBeforeNot() {
    lossWhileTheShardMoves();
    history.leaving("n1", 1, "n2", 0, 22).leftInTime("n1", 1, 50);
    assertLost(1);
    history.takeBack().takeBack().leaving("n1", 1, "n2", 0, 21).leftInTime("n1", 1, 50);
    assertThat(judge()).isEmpty();
  }

  // ---- words ----

  @Test
  void failureThatWasTold_excusesThatMessageAndNoOther() {
    history.sent(1, 20).sent(2, 21).sent(3, 22).got("n2", 1, 5, 3, 30);
    history.failed("n1", Kind.FAILED, 2, 25);
    assertLost(1).allMatch(it -> it.contains("number=1"));
    history.failed("n1", Kind.FAILED, 1, 25);
    assertThat(judge()).isEmpty();
  }

  @Test
  void failureOfAMessageThatCameNevertheless_excusesNoOther() {
    history.sent(1, 20).sent(2, 21).sent(3, 22);
    history.got("n2", 1, 5, 1, 23).got("n2", 1, 5, 3, 30);
    history.failed("n1", Kind.FAILED, 1, 25);
    assertLost(1).allMatch(it -> it.contains("number=2"));
  }

  @Test
  void failureThatAnotherNodeHasFound_isToldToTheSendersNode_unlessTheyLoseTouch() {
    history.sent(1, 20).sent(2, 22).got("n2", 1, 5, 2, 30);
    history.failed("n3", Kind.FAILED, 1, 25);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("untold: "));
    history.ended("n1", 1, "n3", 1, 24);
    assertThat(judge()).hasSize(1);
    history.told(26);
    assertThat(judge()).isEmpty();
    history.takeBack().ended("n1", 1, "n3", 1, 26);
    assertThat(judge()).isEmpty();
  }

  @Test
  void messageThatHasFailedForSure_isNotGot() {
    history.sent(1, 20).got("n2", 1, 5, 1, 22).failed("n1", Kind.REFUSED, 1, 25);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("refused: "));
  }

  @Test
  void requestThatWasRefused_isNotGot_andOneThatHadAReplyIs() {
    history.asked(Kind.REFUSED, 1, 10).got("n2", 1, 5, 1, 11).asked(Kind.REPLIED, 2, 12);
    assertThat(judge())
        .hasSize(2)
        .anyMatch(it -> it.startsWith("refused: "))
        .anyMatch(it -> it.startsWith("reply: "));
  }

  @Test
  void request_waitsForItsReplyToItsTime_unlessItMayHaveBeenLost() {
    history.owner("n2", 5, 10).givenUp(1, 20, 25);
    assertThat(judge()).as("its time was over").isEmpty();
    history.takeBack().givenUp(1, 20, 24).ended("n1", 1, "n2", 1, 25);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("unanswered: "));
    history.ended("n1", 1, "n2", 1, 24);
    assertThat(judge()).isEmpty();
    history.takeBack().failed("n1", Kind.FAILED, 1, 23);
    assertThat(judge()).isEmpty();
  }

  @Test
  void nodeThatWasToOwnAShard_mayHaveTakenWhatItWasHanded() {
    lossWhileTheShardMoves();
    history.died("n4", 28);
    assertLost(1);
    history.nextOwner("n4", 7, 27);
    assertThat(judge()).isEmpty();
  }

  @Test
  void lastMessageOfAStream_isLost_unlessItsNodeHasDied() {
    history.owner("n2", 5, 10).sent(1, 20).got("n2", 1, 5, 1, 21).sent(2, 22).died("n1", 19);
    assertLost(1);
    history.died("n1", 30);
    assertThat(judge()).isEmpty();
  }

  // ---- entities ----

  @Test
  void entityOfTheNextLifeOfANode_isAnotherOne() {
    history.got("n2", 1, 5, 1, 11).got("n3", 1, 9, 2, 12).got("n2", 1, 12, 3, 13);
    assertThat(judge()).isEmpty();
  }

  @Test
  void formerOwner_thatActsOn_overlaps() throws IOException {
    history.got("n2", 1, 5, 1, 11).got("n3", 1, 9, 2, 12).got("n2", 1, 5, 3, 13);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("entity: "));
    assertThat(owners.judge()).hasSize(2).allMatch(it -> it.startsWith("overlap: "));
  }

  @Test
  @Tag("C6")
  void tokensOfTheOwnersOfAShard_grow() {
    history.owner("n2", 5, 10).owner("n3", 9, 20).owner("n2", 12, 30);
    history.got("n2", 1, 5, 1, 11).got("n3", 1, 9, 2, 21).got("n2", 1, 12, 3, 31);
    assertThat(judge()).isEmpty();
    history.owner("n3", 8, 40);
    assertThat(judge()).singleElement().asString().startsWith("token: ").contains("token=8");
  }

  @Test
  @Tag("C6")
  void tokenOfTwoOwners_isFound() {
    history.nextOwner("n2", 5, 10).owner("n3", 5, 20);
    assertThat(judge()).singleElement().asString().startsWith("token: ").contains("'n2'");
  }

  @Test
  @Tag("C6")
  void entityWithATokenOfAnotherNode_isFound() {
    history.owner("n2", 5, 10).owner("n3", 9, 20);
    history.got("n3", 1, 9, 1, 21).got("n2", 1, 9, 2, 22);
    assertThat(judge()).singleElement().asString().startsWith("token: ").contains("'n3'");
  }

  @Test
  void twoEntitiesOfOneKey_atOneNode_areFound() {
    history.got("n2", 1, 5, 1, 11).got("n2", 2, 5, 2, 12).got("n2", 1, 5, 3, 13);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("entity: "));
  }

  @Test
  void deeds_areReadAsTheyWereWritten_inTheOrderOfTime() throws IOException {
    SoakDeeds file = new SoakDeeds(folder, "n7");
    Deed late = new Deed("n7", Kind.GOT, 9, 5, "n1", 1, 4, 3, 8);
    Deed early = new Deed("n7", Kind.SENT, 7, 0, "n2", 1, 4, 3, 0);
    file.write(late);
    file.write(early);
    assertThat(SoakDeeds.read(folder)).containsExactly(early, late);
  }
}
