// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The hand-over: without a thread and by a clock that the test moves, but where the test says so.
@Timeout(300)
class TimersTest {
  private static final long SECOND = 1_000_000_000;
  private static final long AWAKE = Long.MIN_VALUE;

  private long clock = 17 * SECOND; // from anywhere
  private final Timers timers = new Timers("test", () -> clock);
  private final List<Timer> fired = new ArrayList<>();

  private final class Plain extends Timer {
    @Override
    protected void fire() {
      fired.add(this);
    }
  }

  private Timer armed(long deadline) {
    Timer timer = new Plain();
    timers.arm(timer, deadline);
    return timer;
  }

  @Test
  @Tag("timer-2")
  void sleepingThread_isWokenForAnEarlierDeadline_notForALaterOne() {
    armed(10 * SECOND);
    assertThat(timers.runOnce()).isPositive();
    long until = timers.sleepsUntil;
    armed(20 * SECOND);
    assertThat(timers.sleepsUntil).isEqualTo(until);
    armed(SECOND);
    assertThat(timers.sleepsUntil).isEqualTo(AWAKE);
  }

  @Test
  @Tag("proc-337")
  void thread_thatHasWorkAndDoesNotRun_isLateAfterHalfAMillisecond() {
    armed(10 * SECOND);
    timers.runOnce();
    clock += timers.sleepsUntil - timers.now();
    assertThat(timers.isLate()).isFalse();
    clock += 1_000_000;
    assertThat(timers.isLate()).isTrue();
    timers.runOnce();
    assertThat(timers.isLate()).isFalse();
    armed(timers.now() - 1); // wakes it
    clock += 1_000_000;
    assertThat(timers.isLate()).isTrue();
    timers.runOnce();
    assertThat(timers.isLate()).isFalse();
  }

  @Test
  @Tag("timer-2")
  void timerInTheHandOver_thatIsArmedForAnEarlierTime_wakesTheThread() {
    armed(10 * SECOND);
    timers.runOnce();
    Timer timer = armed(20 * SECOND); // lies in the hand-over, and nobody was woken
    timers.arm(timer, SECOND);
    assertThat(timers.sleepsUntil).isEqualTo(AWAKE);
    clock += 2 * SECOND;
    timers.runOnce();
    assertThat(fired).containsExactly(timer);
  }

  @Test
  @Tag("timer-3")
  void timerThatIsArmedAgainAndAgain_isHandedOverOnce_andStandsInTheWheelOnce() {
    Timer timer = new Plain();
    for (int i = 0; i < 1_000; i++) {
      timers.arm(timer, 60 * SECOND + i);
    }
    assertThat(timers.submittedCount()).isOne();
    timers.runOnce();
    for (int i = 0; i < 1_000; i++) {
      timers.arm(timer, 61 * SECOND + i);
    }
    assertThat(timers.submittedCount()).isZero(); // the wheel looks at it in time
    assertThat(timers.wheel.size()).isOne();
    timers.arm(timer, SECOND);
    timers.arm(timer, 2 * SECOND);
    assertThat(timers.submittedCount()).isOne();
    timers.runOnce();
    assertThat(timers.wheel.size()).isOne();
    clock += 3 * SECOND;
    timers.runOnce();
    assertThat(fired).containsExactly(timer);
  }

  @Test
  @Tag("timer-4")
  void disarmedTimer_neverFires_andLeavesHandOverAndWheel() {
    Timer handed = armed(SECOND);
    assertThat(timers.disarm(handed)).isTrue();
    assertThat(timers.disarm(handed)).isFalse();
    timers.runOnce();
    assertThat(timers.wheel.size()).isZero();
    Timer standing = armed(1_000 * SECOND);
    timers.runOnce();
    assertThat(timers.wheel.size()).isOne();
    assertThat(timers.disarm(standing)).isTrue();
    timers.runOnce();
    assertThat(timers.wheel.size()).isZero();
    clock += 2_000 * SECOND;
    timers.runOnce();
    assertThat(fired).isEmpty();
  }

  @Test
  @Tag("timer-4")
  void timerThatHasFired_cannotBeMovedNorDisarmed_butArmedAgain() {
    Timer timer = armed(SECOND);
    clock += 2 * SECOND;
    timers.runOnce();
    assertThat(fired).containsExactly(timer);
    assertThat(timers.rearm(timer, 5 * SECOND)).isFalse();
    assertThat(timers.disarm(timer)).isFalse();
    timers.arm(timer, 5 * SECOND);
    assertThat(timers.rearm(timer, 4 * SECOND)).isTrue();
    clock += 3 * SECOND;
    timers.runOnce();
    assertThat(fired).containsExactly(timer, timer);
  }

  @Test
  @Tag("timer-4")
  void timersThatAreStartedAndStopped_doNotPileUp_whileTheThreadGetsNoProcessor() {
    Timer kept = armed(1_000 * SECOND);
    int most = 0;
    for (int i = 0; i < 500_000; i++) {
      assertThat(timers.disarm(armed(60 * SECOND + i))).isTrue();
      most = Math.max(most, timers.submittedCount());
    }
    assertThat(most).isLessThanOrEqualTo(65_536);
    timers.runOnce();
    assertThat(timers.wheel.size()).isOne();
    clock += 2_000 * SECOND;
    timers.runOnce();
    assertThat(fired).containsExactly(kept);
  }

  @Test
  @Tag("timer-4")
  void sweep_keepsWhatIsArmed_andWhatTheWheelIsToLetGo() {
    Timer standing = armed(100 * SECOND);
    timers.runOnce();
    timers.disarm(standing);
    Timer armed = armed(2 * SECOND);
    timers.disarm(armed(3 * SECOND));
    timers.sweep();
    assertThat(timers.submittedCount()).isEqualTo(2);
    timers.runOnce();
    assertThat(timers.wheel.size()).isOne();
    clock += 3 * SECOND;
    timers.runOnce();
    assertThat(fired).containsExactly(armed);
  }

  @Test
  @Tag("timer-5")
  void timerThatHasNoMemoryToFire_firesAMomentLater_andTheOthersAsWell() {
    int[] tries = {0};
    Timer poor =
        new Timer() {
          @Override
          protected void fire() {
            if (++tries[0] < 3) {
              throw new OutOfMemoryError("test");
            }
            fired.add(this);
          }
        };
    timers.arm(poor, SECOND);
    Timer other = armed(SECOND);
    clock += 2 * SECOND;
    for (int i = 0; i < 3; i++) {
      timers.runOnce();
      clock += SECOND;
    }
    assertThat(fired).containsExactly(other, poor);
  }

  @Test
  @Tag("timer-5")
  void timerThatFails_harmsNoOther() {
    timers.arm(
        new Timer() {
          @Override
          protected void fire() {
            throw new IllegalStateException("meant by the test");
          }
        },
        SECOND);
    Timer other = armed(SECOND);
    clock += 2 * SECOND;
    timers.runOnce();
    assertThat(fired).containsExactly(other);
  }

  @Test
  void closedTimers_armNothing_andSaySo() throws Exception {
    timers.close(Duration.ZERO);
    assertThatThrownBy(() -> armed(SECOND))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("shut down");
  }

  // ---- limits of waits ----

  @Test
  @Tag("timer-6")
  void wakeUpOfAWaitThatHasEnded_endsNoLaterOne() {
    int[] woken = {0};
    WaitTimeout limit = new WaitTimeout(timers, () -> woken[0]++);
    limit.start(Duration.ofSeconds(1));
    clock += 2 * SECOND;
    timers.runOnce();
    assertThat(woken[0]).isOne();
    assertThat(limit.isOver()).isTrue();
    limit.stop();
    limit.start(Duration.ofSeconds(60)); // now the wake-up of the first wait is seen
    assertThat(limit.isOver()).isFalse();
    assertThat(limit.willWake()).isTrue();
    clock += 61 * SECOND;
    timers.runOnce();
    assertThat(woken[0]).isEqualTo(2);
    assertThat(limit.isOver()).isTrue();
  }

  @Test
  @Tag("timer-3")
  void waitsWithALimit_haveOneTimer_whichLeavesWithItsOwner() {
    WaitTimeout limit = new WaitTimeout(timers, () -> {});
    for (int i = 0; i < 1_000; i++) {
      limit.start(Duration.ofSeconds(60));
      assertThat(timers.submittedCount()).isEqualTo(i == 0 ? 1 : 0);
      limit.stop();
      timers.runOnce();
      limit.start(Duration.ofSeconds(60));
      timers.runOnce();
      clock += SECOND / 100;
      assertThat(timers.wheel.size()).isOne();
    }
    limit.close();
    timers.runOnce();
    assertThat(timers.wheel.size()).isZero();
  }

  @Test
  void limitOfNothing_isOverAtOnce_withoutATimer() {
    WaitTimeout limit = new WaitTimeout(timers, () -> {});
    limit.start(Duration.ofSeconds(-1));
    assertThat(limit.isOver()).isTrue();
    assertThat(limit.willWake()).isFalse();
    assertThat(timers.submittedCount()).isZero();
  }

  // ---- with the thread ----

  @Test
  @Tag("timer-2")
  void timersOfManyThreads_allFire_neverEarly() throws Exception {
    Timers running = new Timers("heddle-timers-test");
    running.start();
    int each = 20_000;
    BlockingQueue<Long> early = new LinkedBlockingQueue<>();
    CountDownLatch all = new CountDownLatch(4 * each);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < each; i++) {
                  long deadline = running.now() + ThreadLocalRandom.current().nextLong(3_000_000);
                  Timer timer =
                      new Timer() {
                        @Override
                        protected void fire() {
                          if (running.now() < deadline) {
                            early.add(deadline);
                          }
                          all.countDown();
                        }
                      };
                  running.arm(timer, deadline);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    all.await();
    assertThat(early).isEmpty();
    assertThat(running.close(Duration.ofMinutes(4))).isTrue();
    assertThat(running.thread().isAlive()).isFalse();
  }

  @Test
  @Tag("timer-4")
  void timersThatRaceWithTheirDisarming_fireOrAreDisarmed_neverBothNorNeither() throws Exception {
    Timers running = new Timers("heddle-timers-test");
    running.start();
    for (int i = 0; i < 2_000; i++) {
      CountDownLatch fires = new CountDownLatch(1);
      Timer timer =
          new Timer() {
            @Override
            protected void fire() {
              fires.countDown();
            }
          };
      running.arm(timer, running.now());
      if (i % 2 == 0) {
        Thread.yield();
      }
      if (!running.disarm(timer)) {
        fires.await();
      }
      assertThat(timer.isArmed()).isFalse();
    }
    running.close(Duration.ofMinutes(4));
  }
}
