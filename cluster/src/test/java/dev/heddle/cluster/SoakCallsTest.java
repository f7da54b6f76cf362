// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the soak takes for a fault of messages to entities: each kind of fault is found in a
/// history that has one.
@Tag("C8")
class SoakCallsTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path folder;

  private final List<Deed> deeds = new ArrayList<>();
  private SoakOwners owners;

  private void sent(int number, long second) {
    deeds.add(new Deed("n1", Kind.SENT, second * SECOND, 0, "n1", 1, 4, number, 0));
  }

  private void asked(Kind outcome, int number, long second) {
    deeds.add(new Deed("n1", outcome, second * SECOND, 0, "n1", 1, 4, number, 0));
  }

  private void got(String at, int entity, long token, int number, long second) {
    deeds.add(new Deed(at, Kind.GOT, second * SECOND, token, "n1", 1, 4, number, entity));
  }

  private List<String> judge() {
    owners = new SoakOwners(folder);
    List<Deed> inOrder = new ArrayList<>(deeds);
    inOrder.sort(Comparator.comparingLong(Deed::nanos));
    return new SoakCalls(inOrder, owners).judge();
  }

  @Test
  void messagesInOrder_alsoOfAnEntityThatMoves_areRight() throws IOException {
    for (int i = 1; i <= 4; i++) {
      sent(i, 10 * i);
    }
    got("n2", 1, 5, 1, 11);
    got("n2", 1, 5, 2, 21);
    got("n3", 1, 9, 3, 31);
    got("n3", 2, 9, 4, 41); // it was passivated
    asked(Kind.REPLIED, 4, 41);
    asked(Kind.REFUSED, 5, 51);
    assertThat(judge()).isEmpty();
    assertThat(owners.judge()).isEmpty();
    assertThat(owners.ownerships(SoakCalls.SHARD)).isEqualTo(2);
    assertThat(owners.ownerships(SoakCalls.ENTITY)).isEqualTo(2);
  }

  @Test
  void messageThatComesTwice_isADuplicate() {
    got("n2", 1, 5, 1, 11);
    got("n3", 1, 9, 1, 12);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("duplicate: "));
  }

  @Test
  void messageBehindALaterOne_isOutOfOrder() {
    got("n2", 1, 5, 2, 11);
    got("n2", 1, 5, 1, 12);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("order: "));
  }

  @Test
  void messageThatNeverComes_isLost_unlessASessionOrALeaseHasEndedMeanwhile() {
    sent(1, 100);
    sent(2, 110);
    got("n2", 1, 5, 2, 120);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("lost: "));

    deeds.add(new Deed("n3", Kind.SESSION_ENDED, 115 * SECOND, 0, "n4", 0, 0, 0, 0));
    assertThat(judge()).as("of two others, and the entity has not moved").hasSize(1);
    deeds.add(new Deed("n2", Kind.SESSION_ENDED, 90 * SECOND, 0, "n1", 0, 0, 0, 0));
    assertThat(judge()).as("before").hasSize(1);
    deeds.add(new Deed("n2", Kind.SESSION_ENDED, 116 * SECOND, 0, "n1", 0, 0, 0, 0));
    assertThat(judge()).isEmpty();
    deeds.removeLast();
    deeds.add(new Deed("n2", Kind.LEASE_LOST, 116 * SECOND, 0, "n2", 0, 0, 0, 0));
    assertThat(judge()).isEmpty();
  }

  @Test
  void messageThatNeverComes_isRight_whenItsNodeWasToldSo_andNoOtherOne() {
    sent(1, 100);
    sent(2, 101);
    sent(3, 110);
    got("n2", 1, 5, 3, 120);
    deeds.add(new Deed("n1", Kind.FAILED, 200 * SECOND, 0, "n1", 1, 0, 1, 0));
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("lost: "));
    deeds.add(new Deed("n1", Kind.FAILED, 300 * SECOND, 0, "n1", 1, 0, 2, 0));
    assertThat(judge()).isEmpty();
  }

  @Test
  void entityOfTheNextLifeOfANode_isAnotherOne() {
    got("n2", 1, 5, 1, 11);
    got("n3", 1, 9, 2, 12);
    got("n2", 1, 12, 3, 13);
    assertThat(judge()).isEmpty();
  }

  @Test
  void requestThatWasRefused_isNotGot_andOneThatHadAReplyIs() {
    asked(Kind.REFUSED, 1, 10);
    got("n2", 1, 5, 1, 11);
    asked(Kind.REPLIED, 2, 12);
    assertThat(judge())
        .hasSize(2)
        .anyMatch(it -> it.startsWith("refused: "))
        .anyMatch(it -> it.startsWith("reply: "));
  }

  @Test
  void formerOwner_thatActsOn_overlaps() throws IOException {
    got("n2", 1, 5, 1, 11);
    got("n3", 1, 9, 2, 12);
    got("n2", 1, 5, 3, 13);
    assertThat(judge()).hasSize(1).allMatch(it -> it.startsWith("entity: "));
    assertThat(owners.judge()).hasSize(2).allMatch(it -> it.startsWith("overlap: "));
  }

  @Test
  void twoEntitiesOfOneKey_atOneNode_areFound() {
    got("n2", 1, 5, 1, 11);
    got("n2", 2, 5, 2, 12);
    got("n2", 1, 5, 3, 13);
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
