// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.source.CountingHome;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The queue on a clock of the test's own; random programs against a sorted set are in
/// [TimerQueueModelTest].
@Tag("once")
class TimerQueueTest {
  private static final long TICK = 1L << TimerQueue.TICK_SHIFT;
  private static final long YEAR = 365L * 24 * 3600 * 1_000_000_000;

  private final HomeLoop home = new CountingHome();
  private final List<TimerEvent> fired = new ArrayList<>();
  private final InlineCallback record = (event, result, error) -> fired.add((TimerEvent) event);

  private TimerQueue queue = new TimerQueue(0);

  private TimerEvent armed(long deadline) {
    TimerEvent timer = timer(deadline);
    timer.start();
    return timer;
  }

  private TimerEvent timer(long deadline) {
    TimerEvent timer = new TimerEvent(home, queue, deadline, false);
    timer.subscribe(record);
    return timer;
  }

  @Test
  @Tag("trap-15")
  void advance_oneNanosecondBeforeTheDeadline_firesNothing() {
    for (long deadline : new long[] {1, TICK - 1, TICK, TICK + 1, 64 * TICK, 4_096 * TICK + 7}) {
      queue = new TimerQueue(0);
      armed(deadline);
      assertThat(queue.advance(deadline - 1)).as("deadline %d", deadline).isZero();
      assertThat(queue.advance(deadline)).as("deadline %d", deadline).isOne();
    }
  }

  @Test
  @Tag("trap-15")
  void equalDeadlines_farAndNear_fireInTheOrderOfArming() {
    for (long deadline : new long[] {5, 3 * TICK + 5, 70 * TICK, 5_000 * TICK}) {
      queue = new TimerQueue(0);
      fired.clear();
      List<TimerEvent> expected = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        expected.add(armed(deadline));
      }
      queue.advance(deadline);
      assertThat(fired).as("deadline %d", deadline).containsExactlyElementsOf(expected);
    }
  }

  @Test
  @Tag("trap-15")
  void equalDeadlines_armedAtDifferentTimes_fireInTheOrderOfArming() {
    long deadline = 300 * TICK + 9;
    TimerEvent first = armed(deadline);
    queue.advance(290 * TICK);
    TimerEvent second = armed(deadline);
    queue.advance(300 * TICK);
    TimerEvent third = armed(deadline);
    queue.advance(deadline);
    assertThat(fired).containsExactly(first, second, third);
  }

  @Test
  @Tag("trap-15")
  void equalDeadlines_afterCancelsAmongThem_fireInTheOrderOfArming() {
    // few are sorted by comparing, many by distributing
    for (int count : new int[] {5, 100, 1_000}) {
      for (long deadline : new long[] {5, 3 * TICK + 5, 70 * TICK + 7}) {
        queue = new TimerQueue(0);
        fired.clear();
        List<TimerEvent> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          expected.add(armed(deadline));
        }
        for (int i = count - 3; i >= 0; i -= 3) {
          expected.remove(i).stop();
        }
        queue.advance(deadline);
        assertThat(fired).as("%d at %d", count, deadline).containsExactlyElementsOf(expected);
      }
    }
  }

  @Test
  @Tag("trap-15")
  void equalDeadlines_inTheRunAndLate_fireInTheOrderOfArming() {
    TimerEvent first = armed(3 * TICK + 5);
    TimerEvent second = armed(3 * TICK + 5);
    queue.advance(3 * TICK);
    TimerEvent third = armed(3 * TICK + 5);
    TimerEvent before = armed(3 * TICK + 4);
    queue.advance(3 * TICK + 5);
    assertThat(fired).containsExactly(before, first, second, third);
  }

  @Test
  void aThousandDeadlinesOfOneTick_fireAscending() {
    Random random = new Random(7);
    for (int i = 0; i < 1_000; i++) {
      armed(5 * TICK + random.nextLong(TICK));
    }
    queue.advance(6 * TICK);
    assertThat(fired).extracting(TimerEvent::deadline).isSorted().hasSize(1_000);
  }

  @Test
  void deadlines_armedInDescendingOrder_fireAscending() {
    for (long deadline = 1_000; deadline > 0; deadline--) {
      armed(deadline * 777_777);
    }
    queue.advance(1_000 * 777_777);
    assertThat(fired).extracting(TimerEvent::deadline).isSorted().hasSize(1_000);
  }

  @Test
  void nextDeadline_ofAnEmptyQueue_isTheMaximum() {
    assertThat(queue.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    assertThat(queue.mayBeDue(Long.MAX_VALUE - 1)).isFalse();
  }

  @Test
  void nextDeadline_afterTheHolderWasCancelledInItsSlot_isTheNextOne() {
    TimerEvent least = armed(70 * TICK + 1);
    armed(70 * TICK + 3);
    armed(70 * TICK + 2);
    least.stop();
    assertThat(queue.nextDeadline()).isEqualTo(70 * TICK + 2);
  }

  @Test
  void nextDeadline_afterTheHolderWasCancelledAmongTheLate_isTheNextOne() {
    TimerEvent least = armed(1);
    armed(2);
    least.stop();
    assertThat(queue.nextDeadline()).isEqualTo(2);
  }

  @Test
  @Tag("trap-11")
  void advance_pastASlotWhoseTimersAreLater_keepsTheExactDeadline() {
    armed(70 * TICK + 12_345);
    queue.advance(70 * TICK);
    assertThat(queue.nextDeadline()).isEqualTo(70 * TICK + 12_345);
    assertThat(queue.mayBeDue(70 * TICK + 12_344)).isFalse();
    assertThat(queue.mayBeDue(70 * TICK + 12_345)).isTrue();
  }

  @Test
  void cancel_inASlot_neverFires() {
    TimerEvent timer = armed(70 * TICK);
    timer.stop();
    assertThat(queue.size()).isZero();
    assertThat(queue.advance(80 * TICK)).isZero();
  }

  @Test
  void cancel_inTheMiddleOfASlot_leavesTheOthers() {
    TimerEvent first = armed(70 * TICK);
    TimerEvent second = armed(70 * TICK);
    TimerEvent third = armed(70 * TICK);
    second.stop();
    queue.advance(70 * TICK);
    assertThat(fired).containsExactly(first, third);
  }

  @Test
  void cancel_amongTheLate_neverFires() {
    TimerEvent timer = armed(5);
    TimerEvent other = armed(6);
    timer.stop();
    queue.advance(10);
    assertThat(fired).containsExactly(other);
  }

  @Test
  void cancel_ofATimerThatHasFired_changesNothing() {
    TimerEvent timer = armed(5);
    queue.advance(5);
    timer.stop();
    assertThat(queue.size()).isZero();
  }

  @Test
  void arm_afterACancelInASlot_firesOnce() {
    TimerEvent timer = armed(70 * TICK);
    timer.stop();
    timer.start();
    queue.advance(70 * TICK);
    assertThat(fired).containsExactly(timer);
    assertThat(queue.size()).isZero();
  }

  @Test
  @Tag("trap-15")
  void arm_afterACancelAmongTheLate_goesBehindEqualDeadlines() {
    TimerEvent again = armed(5);
    TimerEvent other = armed(5);
    again.stop();
    again.start();
    queue.advance(5);
    assertThat(fired).containsExactly(other, again);
  }

  @Test
  void arm_ofADeadlineInThePast_firesAtTheNextAdvance() {
    queue.advance(100 * TICK);
    armed(1);
    assertThat(queue.mayBeDue(100 * TICK)).isTrue();
    assertThat(queue.advance(100 * TICK)).isOne();
  }

  @Test
  void arm_whileFiring_isFiredInTheSamePassWhenDue() {
    TimerEvent later = timer(7);
    TimerEvent early = new TimerEvent(home, queue, 5, false);
    early.subscribe((InlineCallback) (event, result, error) -> later.start());
    early.start();
    assertThat(queue.advance(7)).isEqualTo(2);
    assertThat(fired).containsExactly(later);
  }

  @Test
  @Tag("trap-15")
  void arm_whileFiring_forATickBeforeTheNextSlot_isFiredBeforeThatSlot() {
    for (long far : new long[] {10, 70, 5_000}) {
      queue = new TimerQueue(0);
      fired.clear();
      TimerEvent between = timer(5 * TICK);
      TimerEvent early = new TimerEvent(home, queue, 2 * TICK, false);
      early.subscribe((InlineCallback) (event, result, error) -> between.start());
      early.start();
      TimerEvent last = armed(far * TICK);
      assertThat(queue.advance(far * TICK)).as("%d ticks", far).isEqualTo(3);
      assertThat(fired).as("%d ticks", far).containsExactly(between, last);
    }
  }

  @Test
  void cancel_whileFiring_stopsOneOfTheSameRun() {
    TimerEvent later = timer(3 * TICK + 7);
    TimerEvent last = armed(3 * TICK + 8);
    TimerEvent early = new TimerEvent(home, queue, 3 * TICK + 5, false);
    early.subscribe((InlineCallback) (event, result, error) -> later.stop());
    early.start();
    later.start();
    assertThat(queue.advance(3 * TICK + 6)).isOne();
    assertThat(queue.nextDeadline()).isEqualTo(3 * TICK + 8);
    queue.advance(4 * TICK);
    assertThat(fired).containsExactly(last);
    assertThat(queue.size()).isZero();
  }

  @Test
  void cancel_whileFiring_stopsOneThatIsDueInTheSamePass() {
    TimerEvent early = new TimerEvent(home, queue, 5, false);
    TimerEvent later = timer(7);
    early.subscribe((InlineCallback) (event, result, error) -> later.stop());
    early.start();
    later.start();
    queue.advance(10);
    assertThat(fired).isEmpty();
  }

  @Test
  @Tag("trap-15")
  void farDeadlines_decadesAhead_fireAtTheirNanosecond() {
    for (int years : new int[] {1, 10, 146, 290}) {
      queue = new TimerQueue(0);
      long deadline = years * YEAR + 3;
      armed(deadline);
      assertThat(queue.advance(deadline - 1)).as("%d years", years).isZero();
      assertThat(queue.advance(deadline)).as("%d years", years).isOne();
    }
  }

  @Test
  @Tag("trap-15")
  void deadline_thatNeverComes_isKeptAndCanBeCancelled() {
    TimerEvent never = armed(Long.MAX_VALUE);
    armed(Long.MAX_VALUE - 1);
    assertThat(queue.advance(200 * YEAR)).isZero();
    assertThat(queue.nextDeadline()).isEqualTo(Long.MAX_VALUE - 1);
    never.stop();
    assertThat(queue.size()).isOne();
  }

  @Test
  void clock_thatBeginsBelowZero_crossesIt() {
    queue = new TimerQueue(-5 * TICK);
    TimerEvent never = armed(Long.MAX_VALUE);
    TimerEvent before = armed(-TICK);
    TimerEvent after = armed(TICK);
    queue.advance(-1);
    assertThat(fired).containsExactly(before);
    assertThat(queue.nextDeadline()).isEqualTo(TICK);
    queue.advance(2 * TICK);
    assertThat(fired).containsExactly(before, after);
    never.stop();
    assertThat(queue.size()).isZero();
  }

  @Test
  @Tag("T9")
  void aMillionOutstanding_halfOfThemCancelled_fireInOrderAndEmptyTheQueue() {
    Random random = new Random(42);
    List<TimerEvent> kept = new ArrayList<>();
    List<TimerEvent> cancelled = new ArrayList<>();
    for (int i = 0; i < 1_000_000; i++) {
      TimerEvent timer = new TimerEvent(home, queue, random.nextLong(60_000_000_000L), false);
      timer.start();
      (i % 2 == 0 ? kept : cancelled).add(timer);
    }
    assertThat(queue.size()).isEqualTo(1_000_000);
    Collections.shuffle(cancelled, random);
    cancelled.forEach(TimerEvent::stop);
    kept.forEach(timer -> timer.subscribe(record));
    int count = 0;
    for (long now = 0; now <= 60_000_000_000L; now += 100_000_000) {
      count += queue.advance(now);
    }
    assertThat(count).isEqualTo(500_000);
    assertThat(queue.size()).isZero();
    for (int i = 1; i < fired.size(); i++) {
      assertThat(fired.get(i - 1).deadline() <= fired.get(i).deadline()).isTrue();
    }
  }
}
