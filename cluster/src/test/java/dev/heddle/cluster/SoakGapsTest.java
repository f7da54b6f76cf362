// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the soak takes for a loss of messages between processes.
@Tag("C3")
class SoakGapsTest {
  private final SoakHistory history = new SoakHistory();

  private List<String> judge() {
    return new SoakGaps(history.inOrder()).judge();
  }

  @Test
  void messageDroppedInAnOpenSession_isLost_howeverManySessionsHaveEnded() {
    history.ended("n1", 1, "n2", 1, 10, 100, 0).ended("n1", 1, "n2", 1, 20, 200, 0);
    history.gap(150, 152, 15);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("lost: "));
  }

  @Test
  void firstMessageOfASession_isLost_whenItIsDropped() {
    history.ended("n1", 1, "n2", 1, 10, 100, 0).gap(98, 102, 15);
    assertThat(judge()).hasSize(1);
  }

  @Test
  void gap_thatEndsWithTheFirstMessageOfASession_isRight() {
    history.ended("n1", 1, "n2", 1, 10, 100, 0).gap(98, 101, 15);
    assertThat(judge()).isEmpty();
  }

  @Test
  void messageThatWasJustBeingOffered_belongsToEitherSession() {
    history.ended("n1", 1, "n2", 1, 10, 100, 1).gap(98, 102, 15);
    assertThat(judge()).isEmpty();
    history.takeBack().gap(98, 103, 15);
    assertThat(judge()).hasSize(1);
  }

  @Test
  void endOfASessionOfOtherLives_orOfAnotherNode_excusesNothing() {
    history.ended("n1", 1, "n2", 2, 10, 100, 0); // of another life of the sink's node
    history.ended("n1", 2, "n2", 1, 10, 100, 0);
    history.ended("n1", 1, "n3", 1, 10, 100, 0);
    history.gap(98, 101, 15);
    assertThat(judge()).hasSize(1);
  }

  @Test
  void streamToANewLifeOfANode_beginsWithASession() {
    history.ended("n1", 1, "n2", 7, 10, 100, 0); // with the life before
    history.gap(0, 101, 15);
    assertThat(judge()).isEmpty();
    history.takeBack().gap(0, 102, 15);
    assertThat(judge()).hasSize(1);
  }

  @Test
  void nodeThatLeavesInTime_hasBroughtAllThatItHadSent() {
    history.leaving("n1", 1, "n2", 100, 10).leftInTime("n1", 1, 12);
    history.goodbye("n2", "n1", 1, 12).cameLast(99, 20);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("lost: "));
    history.takeBack().cameLast(103, 20);
    assertThat(judge()).isEmpty();
  }

  @Test
  void nodeThatHadLostTouchBeforeItLeft_orDoesNotLeaveInTime_hasNot() {
    history.leaving("n1", 1, "n2", 100, 10).goodbye("n2", "n1", 1, 12).cameLast(99, 20);
    assertThat(judge()).as("not in time").isEmpty();
    history.leftInTime("n1", 1, 12).ended("n1", 1, "n2", 1, 9, 100, 0);
    assertThat(judge()).as("the session had ended").isEmpty();
    history.takeBack().ended("n1", 1, "n2", 1, 9, 99, 0);
    assertThat(judge()).as("another one had opened").hasSize(1);
  }
}
