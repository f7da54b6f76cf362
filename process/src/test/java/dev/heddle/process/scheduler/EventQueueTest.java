// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.scheduler.EventQueue.Push;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What comes for a task.
class EventQueueTest {
  private static final class Item extends Node {
    final int producer;
    final int number;

    Item(int producer, int number) {
      this.producer = producer;
      this.number = number;
    }
  }

  private static Item item(int number) {
    return new Item(0, number);
  }

  private static int number(@Nullable Node node) {
    return node instanceof Item item ? item.number : -1;
  }

  private static List<Integer> numbers(@Nullable Node first) {
    List<Integer> numbers = new ArrayList<>();
    for (Node n = first; n != null; n = EventQueue.after(n)) {
      numbers.add(number(n));
    }
    return numbers;
  }

  @Test
  @Tag("P9")
  @Tag("proc-88")
  void newQueue_hasNothing() {
    EventQueue queue = new EventQueue(4);
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.take(1)).isNull();
    assertThat(queue.length()).isZero();
  }

  @Test
  @Tag("P9")
  void take_givesUrgentOnesFirst_eachLaneInOrder() {
    EventQueue queue = new EventQueue(4);
    queue.push(item(1));
    queue.push(item(2));
    assertThat(number(queue.take(1))).isEqualTo(1);
    queue.pushUrgent(item(3));
    queue.pushUrgent(item(4));
    assertThat(List.of(number(queue.take(1)), number(queue.take(1)), number(queue.take(1))))
        .containsExactly(3, 4, 2);
  }

  @Test
  @Tag("P9")
  void take_ofSome_leavesTheRestInOrder_andSkipsNothingElse() {
    EventQueue queue = new EventQueue(8);
    queue.pushUrgent(item(1));
    queue.pushUrgent(item(2));
    for (int i = 3; i <= 7; i++) {
      queue.push(item(i));
    }
    Node first = Objects.requireNonNull(queue.take(4));
    EventQueue.skipAfter(first);
    assertThat(numbers(first)).containsExactly(1, 3, 4);
    assertThat(queue.length()).isEqualTo(3);
    queue.push(item(8));
    assertThat(numbers(queue.take(9))).containsExactly(5, 6, 7);
    assertThat(numbers(queue.take(9))).containsExactly(8);
    assertThat(queue.take(9)).isNull();
  }

  @Test
  @Tag("proc-230")
  void nodeInOrder_standsBehindWhatThereIs_andBeforeWhatComesLater_andCountsNot() {
    EventQueue queue = new EventQueue(3);
    queue.push(item(1));
    queue.push(item(2));
    queue.push(item(3));
    assertThat(queue.pushInOrder(item(4))).isEqualTo(Push.ACCEPTED);
    queue.pushUrgent(item(5));
    assertThat(numbers(queue.take(2))).containsExactly(5, 1);
    assertThat(queue.length()).isEqualTo(2);
    assertThat(queue.push(item(6))).isEqualTo(Push.ACCEPTED);
    assertThat(queue.push(item(7))).isEqualTo(Push.FULL);
    assertThat(queue.hasUrgent()).isTrue();
    assertThat(numbers(queue.take(9))).containsExactly(2, 3, 4);
    assertThat(queue.hasUrgent()).isFalse();
    assertThat(numbers(queue.take(9))).containsExactly(6);
    assertThat(queue.isEmpty()).isTrue();
  }

  private static Node[] row(int first, int last) {
    Node[] row = new Node[last - first + 1];
    for (int i = first; i <= last; i++) {
      row[i - first] = item(i);
    }
    return row;
  }

  @Test
  @Tag("P9")
  void row_goesBehindWhatThereIs_withoutAnythingBetween() {
    EventQueue queue = new EventQueue(8);
    queue.push(item(1));
    assertThat(queue.pushSome(row(2, 4), 0, 3)).isEqualTo(3);
    assertThat(queue.length()).isEqualTo(4);
    queue.pushInOrder(item(5));
    assertThat(queue.pushSome(row(5, 7), 1, 3)).isEqualTo(2);
    assertThat(numbers(queue.take(3))).containsExactly(1, 2, 3);
    assertThat(numbers(queue.take(9))).containsExactly(4, 5, 6, 7);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  @Tag("proc-214")
  void row_longerThanTheSpace_isAcceptedInPart() {
    EventQueue queue = new EventQueue(4);
    queue.push(item(1));
    queue.push(item(2));
    assertThat(numbers(queue.take(1))).containsExactly(1);
    queue.push(item(3));
    assertThat(queue.pushSome(row(4, 9), 0, 6)).isEqualTo(2);
    assertThat(queue.pushSome(row(6, 9), 0, 4)).isZero();
    assertThat(queue.push(item(6))).isEqualTo(Push.FULL);
    assertThat(numbers(queue.take(9))).containsExactly(2);
    assertThat(numbers(queue.take(9))).containsExactly(3, 4, 5);
  }

  /// Else a producer that saw the stack empty, and was descheduled, could pass the bound: I4.
  @Test
  @Tag("P9")
  void row_ontoAnEmptyStack_beginsAlone_whereThereIsABound() {
    EventQueue bounded = new EventQueue(4);
    assertThat(bounded.pushSome(row(1, 3), 0, 3)).isEqualTo(1);
    assertThat(bounded.pushSome(row(1, 3), 1, 3)).isEqualTo(2);
    EventQueue unbounded = new EventQueue(Integer.MAX_VALUE);
    assertThat(unbounded.pushSome(row(1, 3), 0, 3)).isEqualTo(3);
    assertThat(unbounded.length()).isEqualTo(3);
    assertThat(numbers(unbounded.take(2))).containsExactly(1, 2);
    assertThat(numbers(unbounded.take(2))).containsExactly(3);
  }

  @Test
  @Tag("P9")
  void row_toAQueueThatIsClosed_orDropsTheOldest_isNotAccepted() {
    EventQueue queue = new EventQueue(4);
    queue.close();
    assertThat(queue.pushSome(row(1, 3), 0, 3)).isZero();
    assertThat(new EventQueue(4, true).pushSome(row(1, 3), 0, 3)).isZero();
  }

  /// Its answer lay behind the messages that another step had been given a part of, and came last.
  @Test
  @Tag("proc-231")
  void result_thatWasReversedBehindMessages_comesFirst_onceTheConsumerAwaitsCommandsOnly() {
    EventQueue queue = new EventQueue(8);
    queue.push(item(1));
    queue.push(item(2));
    queue.pushResult(item(3), true);
    queue.push(item(4));
    assertThat(numbers(queue.take(1))).containsExactly(1);
    assertThat(numbers(queue.take(1, true))).containsExactly(3);
    assertThat(numbers(queue.take(9, true))).containsExactly(2, 4);
    assertThat(queue.isEmpty()).isTrue();
  }

  /// A walk over all of it for each result would take an hour.
  @Test
  @Timeout(300)
  @Tag("proc-231")
  void results_thatAreTakenOneByOne_behindAMillionMessages_takeNoWalkOverThese() {
    int messages = 1_000_000;
    for (boolean dropsOldest : List.of(true, false)) {
      EventQueue queue = new EventQueue(messages, dropsOldest);
      for (int i = 0; i < messages; i++) {
        if (dropsOldest) {
          queue.push(item(i), _ -> {});
        } else {
          queue.push(item(i));
        }
      }
      for (int i = 0; i < messages; i++) {
        queue.pushResult(item(-i), true);
        assertThat(number(queue.takeResults())).isEqualTo(-i);
      }
      assertThat(queue.length()).isEqualTo(messages);
    }
  }

  /// Else each process that has asked once would keep a list for good.
  @Test
  @Tag("proc-231")
  void result_thatLiesThereAlone_isHandedOut_andTheBoundIsKept() {
    EventQueue queue = new EventQueue(1);
    queue.push(item(1));
    queue.skip(Objects.requireNonNull(queue.peekNext()));
    queue.pushResult(item(2), true);
    queue.pushResult(item(3), true);
    queue.pushResult(item(4), false);
    assertThat(numbers(queue.takeResults())).containsExactly(4, 2, 3);
    assertThat(queue.push(item(5))).isEqualTo(Push.FULL);
    queue.rewind();
    assertThat(queue.remove(Objects.requireNonNull(queue.peekNext()))).isTrue();
    queue.publish();
    assertThat(queue.push(item(6))).isEqualTo(Push.ACCEPTED);
    assertThat(numbers(queue.take(9))).containsExactly(6);
  }

  @Test
  @Tag("proc-230")
  void nodesInOrder_alone_leaveTheWholeBoundToMessages() {
    EventQueue queue = new EventQueue(1);
    queue.pushInOrder(item(1));
    queue.pushInOrder(item(2));
    assertThat(queue.length()).isZero();
    assertThat(queue.push(item(3))).isEqualTo(Push.ACCEPTED);
    queue.pushInOrder(item(4));
    assertThat(queue.push(item(5))).isEqualTo(Push.FULL);
    assertThat(numbers(queue.take(1))).containsExactly(1);
    assertThat(queue.push(item(6))).isEqualTo(Push.FULL);
    assertThat(numbers(queue.take(2))).containsExactly(2, 3);
    assertThat(queue.push(item(7))).isEqualTo(Push.ACCEPTED);
    assertThat(queue.push(item(8))).isEqualTo(Push.FULL);
    assertThat(numbers(queue.close())).containsExactly(4, 7);
  }

  @Test
  @Tag("proc-230")
  @Tag("proc-234")
  void nodeInOrder_whereTheOldestIsDropped_staysInItsPlace() {
    EventQueue queue = new EventQueue(2, true);
    queue.push(item(1), _ -> {});
    queue.pushInOrder(item(2));
    queue.push(item(3), _ -> {});
    queue.push(item(4), _ -> {});
    queue.push(item(5), _ -> {});
    assertThat(queue.length()).isEqualTo(2);
    assertThat(numbers(queue.take(9))).containsExactly(2, 4, 5);
  }

  /// A later one stood behind messages that were sent after it.
  @Test
  @Tag("proc-232")
  void urgentNodes_moreThanATakeHolds_allComeBeforeTheOthers() {
    EventQueue queue = new EventQueue(8);
    queue.pushUrgent(item(1));
    queue.pushUrgent(item(2));
    queue.pushUrgent(item(3));
    queue.push(item(4));
    assertThat(numbers(queue.take(2))).containsExactly(1, 2);
    queue.pushUrgent(item(5));
    assertThat(numbers(queue.take(9))).containsExactly(3, 5, 4);
  }

  @Test
  @Tag("proc-233")
  void bound_countsWhatWasLookedAtAndLeft() {
    EventQueue queue = new EventQueue(2);
    queue.push(item(1));
    queue.push(item(2));
    queue.skip(Objects.requireNonNull(queue.peekNext()));
    assertThat(queue.length()).isEqualTo(2);
    assertThat(queue.push(item(3))).isEqualTo(Push.FULL);
    Node second = Objects.requireNonNull(queue.peekNext());
    assertThat(queue.remove(second)).isTrue();
    assertThat(queue.remove(second)).isFalse();
    queue.publish();
    assertThat(queue.push(item(4))).isEqualTo(Push.ACCEPTED);
    assertThat(queue.push(item(5))).isEqualTo(Push.FULL);
    queue.rewind();
    assertThat(number(queue.peekNext())).isEqualTo(1);
    assertThat(numbers(queue.take(9))).containsExactly(1);
    assertThat(numbers(queue.close())).containsExactly(4);
  }

  @Test
  @Tag("proc-234")
  void oldestThatWasNotTaken_isDropped_alsoWhereItWasPeeked() {
    EventQueue queue = new EventQueue(2, true);
    queue.push(item(1), _ -> {});
    queue.push(item(2), _ -> {});
    Node first = Objects.requireNonNull(queue.peekNext());
    queue.skip(first);
    List<Node> gone = new ArrayList<>();
    queue.push(item(3), gone::add);
    assertThat(gone).containsExactly(first);
    Node second = Objects.requireNonNull(queue.peekNext());
    assertThat(number(second)).isEqualTo(2);
    queue.push(item(4), gone::add);
    assertThat(queue.remove(second)).isFalse();
    assertThat(number(queue.peekNext())).isEqualTo(3);
  }

  @Test
  void take_ofSome_whereTheOldestIsDropped() {
    EventQueue queue = new EventQueue(3, true);
    for (int i = 1; i <= 4; i++) {
      queue.push(item(i), _ -> {});
    }
    assertThat(numbers(queue.take(2))).containsExactly(2, 3);
    queue.push(item(5), _ -> {});
    assertThat(numbers(queue.take(2))).containsExactly(4, 5);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  @Tag("proc-90")
  @Tag("proc-91")
  @Tag("proc-92")
  void close_refusesLaterPushes_andReturnsWhatWasLeft() {
    EventQueue queue = new EventQueue(8);
    queue.push(item(1));
    queue.push(item(2));
    queue.push(item(3));
    assertThat(number(queue.take(1))).isEqualTo(1);
    queue.push(item(4));
    queue.pushUrgent(item(5));
    assertThat(numbers(queue.close())).containsExactly(5, 2, 3, 4);
    assertThat(queue.push(item(6))).isEqualTo(Push.CLOSED);
    assertThat(queue.pushUrgent(item(7))).isEqualTo(Push.CLOSED);
  }

  @Test
  @Tag("proc-214")
  void bound_countsWhatWasTakenAndNotPolled() {
    EventQueue queue = new EventQueue(3);
    assertThat(queue.push(item(1))).isEqualTo(Push.ACCEPTED);
    assertThat(queue.push(item(2))).isEqualTo(Push.ACCEPTED);
    assertThat(queue.push(item(3))).isEqualTo(Push.ACCEPTED);
    assertThat(queue.push(item(4))).isEqualTo(Push.FULL);
    assertThat(number(queue.take(1))).isEqualTo(1);
    assertThat(queue.length()).isEqualTo(2);
    assertThat(queue.push(item(5))).isEqualTo(Push.ACCEPTED);
    assertThat(queue.push(item(6))).isEqualTo(Push.FULL);
    assertThat(queue.pushUrgent(item(7))).isEqualTo(Push.ACCEPTED);
  }

  @Test
  @Tag("P9")
  @Tag("proc-94")
  void hundredProducers_eachInItsOwnOrder_neverAboveTheBound() throws Exception {
    int producers = 100;
    int each = 200;
    int bound = 64;
    EventQueue queue = new EventQueue(bound);
    AtomicInteger running = new AtomicInteger(producers);
    for (int p = 0; p < producers; p++) {
      int producer = p;
      Thread.ofVirtual()
          .start(() -> {
            for (int i = 0; i < each; i++) {
              while (queue.push(new Item(producer, i)) == Push.FULL) {
                Thread.yield();
              }
            }
            running.decrementAndGet();
          });
    }
    Map<Integer, Integer> next = new HashMap<>();
    int most = 0;
    for (int got = 0; got < producers * each; ) {
      most = Math.max(most, queue.length());
      if (queue.take(1) instanceof Item item) {
        assertThat(item.number).isEqualTo(next.getOrDefault(item.producer, 0));
        next.put(item.producer, item.number + 1);
        got++;
      } else {
        Thread.yield();
      }
    }
    assertThat(queue.isEmpty()).isTrue();
    assertThat(most).isBetween(1, bound);
  }
}
