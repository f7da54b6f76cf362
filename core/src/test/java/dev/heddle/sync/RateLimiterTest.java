// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.hosting.StackEnd;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// In virtual time: what a limiter makes wait takes no time, and ends at exact moments.
@Timeout(300)
class RateLimiterTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final List<String> log = new ArrayList<>();

  private static long now() {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return scheduler.nanoTime();
  }

  private static long millis() {
    return now() / 1_000_000;
  }

  private Coroutine<?> taker(RateLimiter limiter, int number, String name) {
    Coroutine<?> taker =
        Heddle.spawn(
            name,
            () -> {
              limiter.acquire(number);
              log.add(name + " at " + millis());
            });
    Heddle.yieldNow();
    return taker;
  }

  // ---- the rate ----

  @Test
  void acquire_beyondTheBurst_waitsForTheRate() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND, 2);
      List<Long> times = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        limiter.acquire();
        times.add(millis());
      }
      assertThat(times).containsExactly(0L, 0L, 100L, 200L, 300L, 400L);
    });
  }

  @Test
  void acquire_withPermits_doesNotSwitch() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      long before = Heddle.counters().switches();
      limiter.acquire(10);
      assertThat(Heddle.counters().switches()).isEqualTo(before);
      assertThat(limiter.availablePermits()).isZero();
    });
  }

  @Test
  void bucket_fillsUpToTheBurst() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND, 3);
      assertThat(limiter.burst()).isEqualTo(3);
      assertThat(limiter.tryAcquire(3)).isTrue();
      assertThat(limiter.tryAcquire()).isFalse();
      Heddle.delay(Duration.ofMillis(250));
      assertThat(limiter.availablePermits()).isEqualTo(2);
      Heddle.delay(Duration.ofDays(36_500));
      assertThat(limiter.availablePermits()).isEqualTo(3);
      assertThat(limiter.tryAcquire(3)).isTrue();
      assertThat(limiter.tryAcquire()).isFalse();
    });
  }

  @Test
  @Tag("trap-15")
  void rate_thatDividesNoNanosecond_isExactOverAnHour_andNeverEarly() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(7, SECOND, 1);
      long start = now();
      limiter.acquire();
      for (long i = 1; i <= 7 * 3_600; i++) {
        limiter.acquire();
        assertThat(now() - start).isEqualTo(Math.ceilDiv(i * 1_000_000_000, 7));
      }
    });
  }

  @Test
  void rates_highAndLow_areExact() {
    VirtualTime.run(() -> {
      RateLimiter fast = RateLimiter.of(1_000_000_000, SECOND, 1);
      long start = now();
      IntStream.range(0, 3).forEach(_ -> fast.acquire());
      assertThat(now() - start).isEqualTo(2);
      RateLimiter slow = RateLimiter.of(1, Duration.ofDays(365));
      slow.acquire();
      start = now();
      slow.acquire();
      assertThat(now() - start).isEqualTo(Duration.ofDays(365).toNanos());
    });
  }

  // ---- whose turn it is ----

  @Test
  @Tag("trap-3")
  void waiters_areServedInTheOrderOfArrival_whateverEachWants() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      taker(limiter, 5, "five");
      taker(limiter, 1, "one");
      taker(limiter, 2, "two");
      assertThat(limiter.waiting()).isEqualTo(3);
    });
    assertThat(log).containsExactly("five at 500", "one at 600", "two at 800");
  }

  @Test
  @Tag("trap-2")
  void tryAcquire_besideAWaiter_failsThoughPermitsAreThere() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(8);
      taker(limiter, 5, "five");
      assertThat(limiter.availablePermits()).isEqualTo(2);
      assertThat(limiter.tryAcquire()).isFalse();
    });
    assertThat(log).containsExactly("five at 300");
  }

  @Test
  void oneTimer_servesAllWaiters_andNoneIsLeft() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      List<Coroutine<?>> takers = new ArrayList<>();
      IntStream.range(0, 5).forEach(i -> takers.add(taker(limiter, 1, "t" + i)));
      assertThat(Heddle.counters().timers()).isEqualTo(1);
      takers.getLast().await();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  // ---- waits that end otherwise ----

  @Test
  void waiterThatLeaves_hasTakenNothing_andThoseBehindItComeEarlier() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      Coroutine<?> greedy = taker(limiter, 10, "greedy");
      taker(limiter, 1, "modest");
      Heddle.delay(Duration.ofMillis(50));
      greedy.cancel("leave");
      assertThatThrownBy(greedy::await).isInstanceOf(Cancellation.class);
    });
    assertThat(log).containsExactly("modest at 100");
  }

  @Test
  void waiterThatLeavesLate_letsThoseBehindItThroughAtOnce() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      Coroutine<?> greedy = taker(limiter, 10, "greedy");
      taker(limiter, 1, "modest");
      Heddle.delay(Duration.ofMillis(550));
      greedy.cancel("leave");
    });
    assertThat(log).containsExactly("modest at 550");
  }

  @Test
  void lastWaiterThatLeaves_takesTheTimerAlong() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(1, Duration.ofHours(1));
      limiter.acquire();
      Coroutine<?> only = taker(limiter, 1, "only");
      only.cancel("leave");
      assertThatThrownBy(only::await).isInstanceOf(Cancellation.class);
      assertThat(Heddle.counters().timers()).isZero();
      assertThat(limiter.waiting()).isZero();
    });
  }

  @Test
  @Tag("trap-1")
  void waiter_servedAndCancelledBeforeItRuns_givesItsPermitsBack() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      Coroutine<?>[] first = new Coroutine<?>[1];
      Heddle.launch(
          "canceller",
          () -> {
            Heddle.delay(
                Duration.ofMillis(200)); // armed first: it runs before the one that is served
            first[0].cancel("leave");
            assertThat(limiter.availablePermits()).isZero();
          });
      Heddle.yieldNow();
      first[0] = taker(limiter, 2, "first");
      assertThatThrownBy(first[0]::await).isInstanceOf(Cancellation.class);
      assertThat(limiter.availablePermits()).isEqualTo(2);
    });
    assertThat(log).isEmpty();
  }

  @Test
  void boundedWaits_takeNothing() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      Deadline soon = Deadline.after(Duration.ofMillis(50));
      assertThatThrownBy(() -> limiter.acquire(soon)).isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> limiter.acquire(2, soon)).isInstanceOf(DeadlineException.class);
      Heddle.delay(Duration.ofMillis(50));
      Promise<String> token = new Promise<>();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> limiter.acquire(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> limiter.acquire(2, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(millis()).isEqualTo(50);
      assertThat(Heddle.counters().timers()).isZero();
      limiter.acquire();
      assertThat(millis()).isEqualTo(100);
      Heddle.delay(Duration.ofMillis(100));
      limiter.acquire(soon); // it bounds only waits
    });
  }

  @Test
  void acquire_thatCannotEndInTime_throwsAtOnce() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of("requests", 10, SECOND);
      limiter.acquire(10);
      assertThatThrownBy(() -> limiter.acquire(2, Deadline.after(Duration.ofMillis(199))))
          .isInstanceOf(DeadlineException.class)
          .hasMessage(
              "coroutine-1 'main' gave up: 2 permits of the rate limiter 'requests' cannot come"
                  + " before the deadline; allow more time, or acquire fewer");
      assertThat(millis()).isZero();
      limiter.acquire(2, Deadline.after(Duration.ofMillis(201)));
      assertThat(millis()).isEqualTo(200);
    });
  }

  @Test
  void acquire_behindAWaiterThatMayLeave_waitsForThat() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      Coroutine<?> greedy = taker(limiter, 10, "greedy");
      Heddle.launch(
          "canceller",
          () -> {
            Heddle.delay(Duration.ofMillis(300));
            greedy.cancel("leave");
          });
      limiter.acquire(1, Deadline.after(Duration.ofMillis(500)));
      assertThat(millis()).isEqualTo(300);
      assertThat(greedy.isCancelled()).isTrue();
    });
  }

  @Test
  void acquire_whilePermitsMayComeBack_waitsForThem() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      Coroutine<?>[] first = new Coroutine<?>[1];
      Heddle.launch(
          "canceller",
          () -> {
            Heddle.delay(Duration.ofMillis(200)); // armed first: it runs before the one served
            first[0].cancel("leave");
            limiter.acquire(2, Deadline.after(Duration.ofMillis(10)));
            log.add("canceller at " + millis());
          });
      Heddle.yieldNow();
      first[0] = taker(limiter, 2, "first");
    });
    assertThat(log).containsExactly("canceller at 200");
  }

  @Test
  void acquire_thatCannotEndInTime_inACancelledCoroutine_isCancelled() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(10, SECOND);
      limiter.acquire(10);
      Coroutine<?> cancelled =
          Heddle.spawn(() -> {
            Heddle.current().cancel("by itself");
            limiter.acquire(Deadline.after(Duration.ofMillis(1)));
          });
      assertThatThrownBy(cancelled::await).isInstanceOf(Cancellation.class);
    });
  }

  @Test
  @Tag("trap-26")
  void acquire_fromAFullBucket_letsOthersRun() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(100, SECOND);
      Coroutine<?> other = Heddle.spawn(() -> log.add("other"));
      for (int i = 0; i < 100; i++) {
        limiter.acquire();
      }
      assertThat(other.isDone()).isTrue();
      assertThat(millis()).isZero();
    });
  }

  @Test
  void limiterOfAWait_isNoDeadlock_andKeepsTheLoopAlive() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(1, Duration.ofHours(1));
      limiter.acquire(1);
      Heddle.launch(
          "late",
          () -> {
            limiter.acquire();
            log.add("late");
          });
    });
    assertThat(log).containsExactly("late");
  }

  // ---- misuse, and what reports say ----

  @Test
  void numbers_thatMakeNoSense_areRefused() {
    VirtualTime.run(() -> {
      assertThatThrownBy(() -> RateLimiter.of(0, SECOND)).hasMessageContaining("counts from 1 on");
      assertThatThrownBy(() -> RateLimiter.of(1, Duration.ZERO)).hasMessageContaining("PT0S");
      RateLimiter limiter = RateLimiter.of("requests", 2, SECOND);
      assertThatThrownBy(() -> RateLimiter.of(2, SECOND, 0))
          .hasMessageContaining("counts from 1 on");
      assertThatThrownBy(() -> RateLimiter.of(1, Duration.ofDays(100_000), 1_000_000))
          .hasMessageContaining("too large");
      assertThatThrownBy(() -> limiter.acquire(3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "3 permits at once can never be taken from the rate limiter 'requests';"
                  + " its burst is 2");
      assertThatThrownBy(() -> limiter.tryAcquire(0)).hasMessageContaining("counts from 1 on");
      assertThat(limiter.availablePermits()).isEqualTo(2);
      assertThat(limiter).hasToString("the rate limiter 'requests' of 2 in PT1S, 0 waiting");
    });
  }

  @Test
  void use_onAnotherLoop_isRefused() {
    Heddle.run(() -> {
      RateLimiter limiter = RateLimiter.of("requests", 1, SECOND);
      Loop<?> other =
          Loop.start(() -> {
            assertThatThrownBy(limiter::acquire).hasMessageContaining("'requests' belongs to");
            assertThatThrownBy(limiter::tryAcquire).hasMessageContaining("'requests' belongs to");
            return 1;
          });
      assertThat(other.join()).isEqualTo(1);
    });
  }

  @Test
  void clock_ofARealLoop_isNeverEarly() {
    Heddle.run(() -> {
      RateLimiter limiter = RateLimiter.of(1_000, SECOND, 1);
      long start = System.nanoTime();
      IntStream.range(0, 6).forEach(_ -> limiter.acquire());
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(5_000_000);
    });
  }

  @Test
  @Tag("trap-23")
  void acquire_whereTheStackEnds_leavesNeitherWaiterNorTimer() {
    VirtualTime.run(() -> {
      RateLimiter limiter = RateLimiter.of(1, SECOND);
      limiter.acquire();
      StackEnd.runAt(limiter::acquire);
      assertThat(limiter.waiting()).isZero();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }
}
