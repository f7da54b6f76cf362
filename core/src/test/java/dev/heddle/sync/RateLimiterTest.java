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
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait it is in
    int wants; // 0: it is not in acquire()
    int ticket; // when it began to wait
    boolean cancelled;

    /// Whether it waits, and nothing has woken it yet.
    boolean isWaiting() {
      return wants > 0
          && coroutine instanceof CoroutineNode<?> node
          && node.status() == WakerStatus.WAITING;
    }
  }

  /// Random waiters with tokens, deadlines and cancellations: the rate is never exceeded, the order
  /// is that of arrival, no permit is lost, and no waiter is forgotten.
  @Test
  @Tag("trap-1")
  @Tag("trap-2")
  @Tag("trap-3")
  void randomPrograms_keepTheRateAndTheOrder() {
    int handedOn = 0;
    int waited = 0;
    for (long seed = 0; seed < 3_000; seed++) {
      Program program = new Program(new Random(seed));
      try {
        VirtualTime.run(program::play);
        program.neverTooMany();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
      handedOn += program.handedOn;
      waited += program.waited;
    }
    // else the programs never met the window between woken and running
    assertThat(handedOn).as("left as they were woken").isGreaterThan(30);
    assertThat(waited).as("served after a wait").isGreaterThan(3_000);
  }

  private static final class Program {
    private final Random random;
    private final int rate; // permits in 10 ns
    private final int burst;
    private final List<Worker> workers = new ArrayList<>();
    private final List<long[]> taken = new ArrayList<>(); // time, number
    private int tickets;
    private int lastServed = -1; // its ticket
    private @Nullable Throwable broken; // what a supervised worker did not expect
    int handedOn;
    int waited;

    Program(Random random) {
      this.random = random;
      this.rate = 1 + random.nextInt(3);
      this.burst = 1 + random.nextInt(4);
    }

    void play() {
      RateLimiter limiter = RateLimiter.of(rate, Duration.ofNanos(10), burst);
      Heddle.supervise(s -> {
        for (int i = 0; i < 5; i++) {
          Worker worker = new Worker();
          workers.add(worker);
          worker.coroutine = s.spawn(() -> live(worker, limiter));
        }
        while (workers.stream().anyMatch(w -> !w.coroutine.isDone())) {
          Heddle.delay(Duration.ofNanos(1)); // virtual: over when no other coroutine is ready
          oldestIsKeptOut(limiter);
          assertThat(broken).isNull();
        }
        return null;
      });
      assertThat(broken).isNull();
      assertThat(limiter.waiting()).isZero();
      assertThat(Heddle.counters().timers()).isZero();
      // whatever was taken back or never taken is there after the time that it takes to fill
      Heddle.delay(Duration.ofNanos(10L * burst));
      assertThat(limiter.tryAcquire(burst)).isTrue();
    }

    private void live(Worker self, RateLimiter limiter) {
      try {
        for (int step = 0; step < 8; step++) {
          act(self, limiter, 1 + random.nextInt(burst));
        }
      } catch (Throwable e) {
        boolean expected = e instanceof Cancellation && self.cancelled;
        broken = expected || broken != null ? broken : e;
        throw e;
      }
    }

    private void act(Worker self, RateLimiter limiter, int permits) {
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> acquire(self, limiter, permits);
        case 4 -> {
          boolean mayTake =
              workers.stream().noneMatch(Worker::isWaiting)
                  && limiter.availablePermits() >= permits;
          assertThat(limiter.tryAcquire(permits)).isEqualTo(mayTake);
          if (mayTake) {
            taken.add(new long[] {now(), permits});
          }
        }
        case 5 -> interfere();
        default -> Heddle.delay(Duration.ofNanos(1 + random.nextInt(15)));
      }
    }

    private void acquire(Worker self, RateLimiter limiter, int permits) {
      self.wants = permits;
      self.ticket = tickets++;
      long before = now();
      try {
        switch (random.nextInt(3)) {
          case 0 -> limiter.acquire(permits);
          case 1 -> limiter.acquire(permits, Deadline.after(Duration.ofNanos(1 + permits * 5L)));
          default -> {
            self.token = new Promise<>();
            limiter.acquire(permits, self.token.future());
          }
        }
      } catch (DeadlineException | WaitCancelledException _) {
        return; // it has taken nothing
      } finally {
        self.wants = 0;
        self.token = null;
      }
      taken.add(new long[] {now(), permits});
      if (now() > before) {
        waited++;
        assertThat(self.ticket).as("served in turn").isGreaterThan(lastServed);
        lastServed = self.ticket;
      }
    }

    private void interfere() {
      Worker one = workers.get(random.nextInt(workers.size()));
      boolean cancels = one.token == null && random.nextInt(4) == 0;
      if ((cancels || one.token != null) && one.wants > 0 && !one.isWaiting()) {
        handedOn++; // woken, and has not run
      }
      if (cancels && one.coroutine != null) {
        one.cancelled = true;
        one.coroutine.cancel("by the program");
      } else if (one.token != null) {
        var _ = one.token.tryComplete("enough");
      }
    }

    private void oldestIsKeptOut(RateLimiter limiter) {
      if (workers.stream().allMatch(w -> w.wants == 0 || w.isWaiting())) {
        workers.stream()
            .filter(Worker::isWaiting)
            .min(Comparator.comparingInt(w -> w.ticket))
            .ifPresent(oldest ->
                assertThat(limiter.availablePermits())
                    .as("beside a waiter")
                    .isLessThan(oldest.wants));
      }
    }

    // in any time t, at most burst + t * rate
    void neverTooMany() {
      for (int from = 0; from < taken.size(); from++) {
        long sum = 0;
        for (int to = from; to < taken.size(); to++) {
          sum += taken.get(to)[1];
          long time = taken.get(to)[0] - taken.get(from)[0] + 1; // the clock's grain
          assertThat(sum * 10)
              .as("tenths taken in %s ns", time)
              .isLessThanOrEqualTo(burst * 10L + time * rate);
        }
      }
    }
  }
}
