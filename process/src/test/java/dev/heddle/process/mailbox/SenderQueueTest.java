// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.mailbox.SenderQueue.WaitingSender;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.EventQueue.Push;
import dev.heddle.process.scheduler.Node;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The line of those who wait for room in a mailbox.
@Tag("P9")
class SenderQueueTest {
  private final EventQueue queue = new EventQueue(2);
  private final SenderQueue senderQueue = new SenderQueue(queue);

  private WaitingSender joined(int message) {
    WaitingSender waitingSender = new WaitingSender(new Envelope(message));
    assertThat(senderQueue.join(waitingSender)).isTrue();
    var _ = senderQueue.fill();
    return waitingSender;
  }

  private List<@Nullable Object> taken(int most) {
    List<@Nullable Object> all = new ArrayList<>();
    for (Node node = queue.take(most); node != null; node = EventQueue.after(node)) {
      all.add(((Envelope) node).content);
    }
    senderQueue.made();
    return all;
  }

  private static List<Boolean> served(WaitingSender... places) {
    List<Boolean> all = new ArrayList<>();
    for (WaitingSender waitingSender : places) {
      all.add(waitingSender.outcome.isDone());
    }
    return all;
  }

  @Test
  @Tag("proc-236")
  void senders_areServedInOrder_asManyAsThereIsRoom() {
    WaitingSender[] line = {joined(1), joined(2), joined(3), joined(4), joined(5)};
    assertThat(served(line)).containsExactly(true, true, false, false, false);
    assertThat(senderQueue.wanted).isTrue();
    assertThat(taken(1)).containsExactly(1);
    assertThat(served(line)).containsExactly(true, true, true, false, false);
    assertThat(taken(2)).containsExactly(2);
    assertThat(taken(2)).containsExactly(3, 4);
    assertThat(served(line)).containsExactly(true, true, true, true, true);
    assertThat(taken(2)).containsExactly(5);
    assertThat(senderQueue.wanted).isFalse();
  }

  @Test
  @Tag("proc-237")
  void senderThatStopsWaiting_delaysNoOther_andSendsNothing() {
    WaitingSender[] line = {joined(1), joined(2), joined(3), joined(4), joined(5), joined(6)};
    assertThat(senderQueue.withdraw(line[2])).isTrue();
    assertThat(senderQueue.withdraw(line[4])).isTrue();
    assertThat(senderQueue.withdraw(line[2])).isFalse();
    assertThat(senderQueue.withdraw(line[0])).isFalse();
    assertThat(taken(2)).containsExactly(1, 2);
    assertThat(served(line)).containsExactly(true, true, false, true, false, true);
    assertThat(senderQueue.wanted).isFalse();
    assertThat(taken(2)).containsExactly(4, 6);
  }

  @Test
  @Tag("proc-238")
  void offer_isRefused_whileASenderWaits_alsoWhereThereIsSpace() {
    WaitingSender waitingSender = new WaitingSender(new Envelope(1));
    assertThat(senderQueue.join(waitingSender)).isTrue(); // and room was not filled yet
    assertThat(senderQueue.offer(new Envelope(2))).isEqualTo(Push.FULL);
    var _ = senderQueue.fill();
    assertThat(senderQueue.offer(new Envelope(3))).isEqualTo(Push.ACCEPTED);
    assertThat(taken(9)).containsExactly(1, 3);
  }

  @Test
  @Tag("proc-237")
  void lastOfTheLine_leaves_andTheNextIsServedAllTheSame() {
    joined(1);
    joined(2);
    WaitingSender third = joined(3);
    assertThat(senderQueue.withdraw(third)).isTrue();
    assertThat(senderQueue.wanted).isFalse();
    WaitingSender fourth = joined(4);
    assertThat(taken(1)).containsExactly(1);
    assertThat(fourth.outcome).isCompletedWithValue(Push.ACCEPTED);
  }

  @Test
  @Tag("proc-236")
  void end_notifiesAllWaitingSenders_andRefusesLaterOnes() {
    joined(1);
    joined(2);
    WaitingSender third = joined(3);
    WaitingSender fourth = joined(4);
    var _ = queue.close();
    senderQueue.over();
    assertThat(third.outcome).isCompletedWithValue(Push.CLOSED);
    assertThat(fourth.outcome).isCompletedWithValue(Push.CLOSED);
    assertThat(senderQueue.join(new WaitingSender(new Envelope(5)))).isFalse();
    assertThat(senderQueue.withdraw(third)).isFalse();
  }
}
