// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.source.CountingHome;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How often a loop that only has timers wakes up: counts, on a clock that the sleeps move.
@Tag("once")
class WakeUpCountTest {
  private static final long TICK = 1L << TimerQueue.TICK_SHIFT;
  private static final long QUARTER = TimerRun.QUARTER;
  private static final long START = 100 * TICK;

  private final HomeLoop home = new CountingHome();
  private final List<TimerEvent> fired = new ArrayList<>();
  private TimerQueue queue = new TimerQueue(0, true);
  private long now;
  private long latest; // how late a timer was at most

  private final InlineCallback record =
      (event, _, _) -> {
        TimerEvent timer = (TimerEvent) event;
        fired.add(timer);
        latest = Math.max(latest, now - timer.deadline());
        assertThat(timer.deadline()).isLessThanOrEqualTo(now);
      };

  /// Sleeps exactly until the deadline.
  private final class Sleeper implements ReactorDriver {
    @Override
    public int poll(long deadline) {
      now = deadline;
      return 0;
    }

    @Override
    public String name() {
      return "sleeper";
    }

    @Override
    public Map<Capability, Support> capabilities() {
      return Map.of();
    }

    @Override
    public boolean isArmed() {
      return false;
    }

    @Override
    public void wakeup() {}

    @Override
    public void close() {}
  }

  private void arm(long deadline) {
    TimerEvent timer = new TimerEvent(home, queue, deadline, false);
    timer.subscribe(record);
    timer.start();
  }

  private void armMany(int count, long from, long length) {
    SplittableRandom random = new SplittableRandom(count);
    for (int i = 0; i < count; i++) {
      arm(from + random.nextLong(length));
    }
  }

  /// As a loop does in which no coroutine is ready.
  private long wakeUps() {
    Reactor reactor = new Reactor(new Sleeper(), queue);
    while (queue.size() > 0) {
      reactor.poll(false);
      queue.advance(now);
    }
    return reactor.sleeps();
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 10_000, 100_000})
  void timersOfOneTick_wakeTheLoopFiveTimes_howeverMany(int count) {
    armMany(count, START, TICK);
    assertThat(wakeUps()).isEqualTo(1 + TICK / QUARTER);
    assertThat(fired).extracting(TimerEvent::deadline).isSorted().hasSize(count);
    assertThat(latest).isLessThan(QUARTER);
  }

  @Test
  void timersOfOneQuarter_onceItsTickIsReached_wakeTheLoopOnce() {
    armMany(1_000, START + QUARTER, QUARTER);
    queue.advance(START + QUARTER - 1); // reaches the tick, and fires nothing
    assertThat(wakeUps()).isOne();
    assertThat(fired).hasSize(1_000);
  }

  @Test
  void timersOfOneDeadline_wakeTheLoopOnce_andOnTime() {
    for (int i = 0; i < 1_000; i++) {
      arm(START + 7);
    }
    assertThat(wakeUps()).isOne();
    assertThat(latest).isZero();
  }

  @Test
  void timersThatAreFew_wakeTheLoopForEach_andOnTime() {
    for (int i = 0; i < 1_000; i++) {
      arm(START + i * (QUARTER / 8));
    }
    assertThat(wakeUps()).isEqualTo(1_000);
    assertThat(latest).isZero();
  }

  @Test
  void crowd_doesNotKeepATimerWaitingThatIsAloneBeforeIt() {
    arm(START + 1);
    armMany(1_000, START + TICK / 2, QUARTER);
    queue.advance(START);
    assertThat(queue.wakeAt()).isEqualTo(START + 1);
  }

  @Test
  void timerArmedForTheTickThatIsGoingOn_wakesTheLoopOnTime_besideACrowd() {
    armMany(1_000, START, TICK);
    queue.advance(START);
    long crowd = queue.wakeAt();
    arm(queue.nextDeadline() + 1);
    assertThat(queue.wakeAt()).isEqualTo(queue.nextDeadline() + 1).isLessThan(crowd);
  }

  @Test
  void queueThatDoesNotShare_wakesTheLoopForEachDeadline() {
    queue = new TimerQueue(0);
    armMany(1_000, START, TICK);
    long deadlines = wakeUps();
    assertThat(deadlines)
        .isEqualTo(fired.stream().mapToLong(TimerEvent::deadline).distinct().count());
    assertThat(latest).isZero();
  }
}
