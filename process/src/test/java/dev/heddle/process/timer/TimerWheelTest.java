// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The wheel by a clock that the test moves, against a list of what is armed.
@Tag("timer-1")
class TimerWheelTest {
  private static final long TICK = 1L << TimerWheel.TICK_BITS;

  private final List<Timer> fired = new ArrayList<>();
  private final TimerWheel wheel = new TimerWheel(fired::add);

  private static final class Plain extends Timer {
    @Override
    protected void fire() {
      throw new AssertionError("the wheel fires through its expiry");
    }
  }

  private Timer armed(long deadline) {
    Timer timer = new Plain();
    timer.deadline(deadline);
    wheel.place(timer);
    return timer;
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        1,
        TICK - 1,
        TICK,
        TICK + 1,
        63 * TICK,
        64 * TICK,
        64 * TICK + 1,
        4_096 * TICK,
        1L << 50,
        Long.MAX_VALUE - 2 * TICK
      })
  void timer_neverFiresEarly_andATickLateAtMost(long deadline) {
    Timer timer = armed(deadline);
    wheel.advance(deadline - 1);
    assertThat(fired).isEmpty();
    wheel.advance(deadline + TICK - 1);
    assertThat(fired).containsExactly(timer);
    assertThat(wheel.size()).isZero();
    assertThat(wheel.nextNanos()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void timersOfATick_fireInTheOrderOfTheirArming_alsoFromHigherLevels() {
    List<Timer> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(armed(5_000 * TICK));
    }
    wheel.advance(5_000 * TICK);
    assertThat(fired).containsExactlyElementsOf(all);
  }

  @Test
  void next_isNotBeyondADeadline_andOneTimerOfHalfAnHourWakesFewTimes() {
    long deadline = 30L * 60 * 1_000_000_000 + 12_345;
    Timer timer = armed(deadline);
    int wakes = 0;
    while (fired.isEmpty()) {
      long next = wheel.nextNanos();
      assertThat(next).isLessThan(deadline + TICK);
      wheel.advance(next);
      wakes++;
    }
    assertThat(fired).containsExactly(timer);
    assertThat(wakes).isLessThanOrEqualTo(4);
  }

  @Test
  void deadlineThatMovesOn_costsNothingUntilItsOldPlaceIsReached() {
    Timer timer = armed(10 * TICK);
    timer.deadline(20 * TICK); // its owner: nobody tells the wheel
    wheel.advance(19 * TICK);
    assertThat(fired).isEmpty();
    assertThat(wheel.size()).isOne();
    wheel.advance(20 * TICK);
    assertThat(fired).containsExactly(timer);
  }

  @Test
  void disarmedTimer_isDropped_whenItsPlaceIsReached_orTheWheelIsNotified() {
    Timer reached = armed(10 * TICK);
    Timer told = armed(5_000 * TICK);
    reached.deadline(Timer.DISARMED);
    told.deadline(Timer.DISARMED);
    wheel.place(told);
    assertThat(wheel.size()).isOne();
    wheel.advance(10 * TICK);
    assertThat(wheel.size()).isZero();
    assertThat(fired).isEmpty();
  }

  /// What is armed, by deadline, beside the wheel; a program of random steps.
  @Test
  void randomPrograms_fireWhatASortedMapSays() {
    for (int seed = 0; seed < 300; seed++) {
      assertThat(new Program(seed).run()).as("seed " + seed).isTrue();
    }
  }

  private static final class Program {
    private final Random random;
    private final List<Timer> fired = new ArrayList<>();
    private final TimerWheel wheel = new TimerWheel(fired::add);
    private final List<Timer> all = new ArrayList<>();
    private final TreeMap<Long, List<Timer>> model = new TreeMap<>(); // by tick
    private final TreeMap<Integer, Long> ticks = new TreeMap<>(); // by number of the timer
    private long now;

    Program(int seed) {
      this.random = new Random(seed);
    }

    boolean run() {
      for (int i = 0; i < 20; i++) {
        all.add(new Plain());
      }
      for (int i = 0; i < 400; i++) {
        int number = random.nextInt(all.size());
        switch (random.nextInt(4)) {
          case 0 -> arm(number, now + random.nextLong(1L << random.nextInt(1, 45)), true);
          case 1 -> arm(number, later(number), random.nextBoolean());
          case 2 -> disarm(number);
          default -> pass(now + random.nextLong(1L << random.nextInt(1, 42)));
        }
      }
      pass(now + (1L << 46));
      return wheel.size() == 0 && model.isEmpty();
    }

    /// A deadline behind that which the timer has: the wheel need not be told.
    private long later(int number) {
      long from = ticks.containsKey(number) ? all.get(number).deadline() : now;
      return from + random.nextLong(1L << random.nextInt(1, 40));
    }

    private void arm(int number, long deadline, boolean told) {
      forget(number);
      Timer timer = all.get(number);
      timer.deadline(deadline);
      if (told || (timer.place() & Timer.WHEEL) == 0 || timer.due > deadline) {
        wheel.place(timer);
      }
      if (!timer.isArmed()) {
        assertThat(fired).containsExactly(timer); // it was due at once
        assertThat(deadline).isLessThanOrEqualTo(now);
        fired.clear();
        return;
      }
      long tick = Math.ceilDiv(deadline, TICK);
      model.computeIfAbsent(tick, _ -> new ArrayList<>()).add(timer);
      ticks.put(number, tick);
    }

    private void disarm(int number) {
      forget(number);
      Timer timer = all.get(number);
      timer.deadline(Timer.DISARMED);
      if (random.nextBoolean()) {
        wheel.place(timer);
      }
    }

    private void forget(int number) {
      Long tick = ticks.remove(number);
      if (tick == null) {
        return;
      }
      List<Timer> same = Objects.requireNonNull(model.get(tick));
      same.remove(all.get(number));
      if (same.isEmpty()) {
        model.remove(tick);
      }
    }

    private void pass(long to) {
      long next = wheel.nextNanos();
      if (!model.isEmpty()) {
        assertThat(next).isLessThanOrEqualTo(model.firstKey() * TICK);
      }
      now = to;
      wheel.advance(now);
      List<Timer> due = new ArrayList<>();
      while (!model.isEmpty() && model.firstKey() <= now / TICK) {
        due.addAll(model.pollFirstEntry().getValue());
      }
      ticks.values().removeIf(tick -> tick <= now / TICK);
      assertThat(fired).containsExactlyInAnyOrderElementsOf(due);
      for (int i = 1; i < fired.size(); i++) {
        assertThat(fired.get(i).due).isGreaterThan(fired.get(i - 1).due - TICK); // tick by tick
      }
      fired.clear();
    }
  }
}
