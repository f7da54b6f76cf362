// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.hosting.StackEnd;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SemaphoreTest {
  private final List<String> log = new ArrayList<>();

  private Coroutine<?> taker(Semaphore semaphore, int permits, String name) {
    Coroutine<?> taker =
        Heddle.spawn(
            name,
            () -> {
              semaphore.acquire(permits);
              log.add(name);
            });
    Heddle.yieldNow();
    return taker;
  }

  @Test
  void permits_areCountedDownAndUp() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(3);
      semaphore.acquire();
      semaphore.acquire(2);
      assertThat(semaphore.availablePermits()).isZero();
      assertThat(semaphore.tryAcquire()).isFalse();
      semaphore.release();
      assertThat(semaphore.tryAcquire(2)).isFalse();
      assertThat(semaphore.tryAcquire()).isTrue();
      semaphore.release(3);
      assertThat(semaphore.availablePermits()).isEqualTo(3);
      semaphore.release(4); // more than were acquired
      assertThat(semaphore.availablePermits()).isEqualTo(7);
    });
  }

  @Test
  void acquireAndRelease_withoutOthers_doNotSwitch() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      long before = Heddle.counters().switches();
      semaphore.acquire();
      semaphore.release();
      assertThat(Heddle.counters().switches()).isEqualTo(before);
    });
  }

  @Test
  @Tag("trap-26")
  void acquire_ofFreePermits_letsOthersRun() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      Coroutine<?> other = Heddle.spawn(() -> log.add("other"));
      for (int i = 0; i < 100; i++) {
        semaphore.acquire();
        semaphore.release();
      }
      assertThat(other.isDone()).isTrue();
    });
  }

  @Test
  @Tag("trap-1")
  void permits_thatComeBack_neverBecomeFewerThanNone() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      Coroutine<?> waiter = taker(semaphore, 5, "waiter");
      semaphore.release(5); // given to the waiter
      semaphore.release(Integer.MAX_VALUE - 2);
      waiter.cancel("leave");
      assertThatThrownBy(waiter::await).isInstanceOf(Cancellation.class);
      assertThat(semaphore.availablePermits()).isEqualTo(Integer.MAX_VALUE);
      assertThatThrownBy(semaphore::release).isInstanceOf(ArithmeticException.class);
      semaphore.acquire();
      semaphore.withPermit(() -> semaphore.release(2)); // the body's own is one too many
      assertThat(semaphore.availablePermits()).isEqualTo(Integer.MAX_VALUE);
    });
  }

  @Test
  void manyWorkers_neverExceedTheLimit() {
    VirtualTime.run(() -> {
      Semaphore semaphore = new Semaphore(3);
      int[] inside = new int[2];
      Heddle.scope(s -> {
        for (int i = 0; i < 20; i++) {
          s.launch(
              "worker",
              () ->
                  semaphore.withPermit(() -> {
                    inside[0]++;
                    inside[1] = Math.max(inside[1], inside[0]);
                    Heddle.delay(Duration.ofMillis(1));
                    inside[0]--;
                  }));
        }
        return null;
      });
      assertThat(inside).containsExactly(0, 3);
    });
  }

  @Test
  @Tag("trap-3")
  void waiters_areServedInTheOrderOfArrival_whateverEachWants() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      taker(semaphore, 3, "three");
      taker(semaphore, 1, "one");
      taker(semaphore, 2, "two");
      semaphore.release(2);
      Heddle.yieldNow();
      assertThat(log).isEmpty();
      semaphore.release(2);
      Heddle.yieldNow();
      assertThat(log).containsExactly("three", "one");
      semaphore.release(2);
    });
    assertThat(log).containsExactly("three", "one", "two");
  }

  @Test
  @Tag("trap-2")
  void tryAcquire_besideAWaiter_failsThoughPermitsAreFree() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      Coroutine<?> waiter = taker(semaphore, 2, "two");
      assertThat(semaphore.availablePermits()).isEqualTo(1);
      assertThat(semaphore.tryAcquire()).isFalse();
      semaphore.release();
      assertThat(semaphore.tryAcquire()).isFalse(); // given to the waiter, which has not run
      waiter.await();
    });
  }

  @Test
  @Tag("trap-2")
  @Tag("trap-26")
  void releaseAndAcquireInALoop_letsEveryOtherThroughInBetween() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      for (int i = 0; i < 3; i++) {
        String name = "worker " + i;
        Heddle.launch(
            name,
            () -> {
              for (int round = 0; round < 3; round++) {
                semaphore.acquire();
                log.add(name);
                Heddle.yieldNow();
                semaphore.release();
              }
            });
      }
    });
    List<String> round = List.of("worker 0", "worker 1", "worker 2");
    for (int i = 0; i < 9; i += 3) {
      assertThat(log.subList(i, i + 3)).isEqualTo(round);
    }
  }

  // ---- waits that end otherwise ----

  @Test
  void acquireWithDeadline_thatRunsOut_holdsNothing() {
    VirtualTime.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> semaphore.acquire(2, soon)).isInstanceOf(DeadlineException.class);
      assertThat(semaphore.availablePermits()).isEqualTo(1);
      assertThat(semaphore.waiting()).isZero();
      semaphore.acquire(soon); // it bounds only waits
      assertThatThrownBy(() -> semaphore.acquire(soon)).isInstanceOf(DeadlineException.class);
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void acquireWithToken_thatFires_holdsNothing() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      Promise<String> token = new Promise<>();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> semaphore.acquire(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> semaphore.acquire(2, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(semaphore.waiting()).isZero();
      semaphore.release();
      semaphore.acquire(token.future()); // it bounds only waits
    });
  }

  @Test
  @Tag("trap-1")
  void waiter_servedAndCancelledBeforeItRuns_givesItsPermitsOn() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      Coroutine<?> first = taker(semaphore, 2, "first");
      taker(semaphore, 1, "second");
      taker(semaphore, 1, "third");
      semaphore.release(2);
      assertThat(semaphore.availablePermits()).isZero();
      first.cancel("leave");
      assertThatThrownBy(first::await).isInstanceOf(Cancellation.class);
      Heddle.yieldNow();
      assertThat(log).containsExactly("second", "third");
      assertThat(semaphore.availablePermits()).isZero();
    });
  }

  @Test
  @Tag("trap-1")
  void waiter_servedAndCancelled_withNobodyBehind_freesThem() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      Coroutine<?> only = taker(semaphore, 2, "only");
      semaphore.release(2);
      only.cancel("leave");
      assertThatThrownBy(only::await).isInstanceOf(Cancellation.class);
      assertThat(semaphore.availablePermits()).isEqualTo(2);
    });
  }

  @Test
  void waiter_thatWantedMuchAndLeaves_letsThoseBehindThrough() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      Coroutine<?> greedy = taker(semaphore, 5, "greedy");
      Coroutine<?> modest = taker(semaphore, 1, "modest");
      greedy.cancel("leave");
      modest.await();
    });
    assertThat(log).containsExactly("modest");
  }

  @Test
  void scope_thatIsCancelled_leavesAllPermitsFree() {
    VirtualTime.run(() -> {
      Semaphore semaphore = new Semaphore(2);
      assertThatThrownBy(() ->
              Heddle.scope(s -> {
                for (int i = 0; i < 50; i++) {
                  s.launch(
                      "w", () -> semaphore.withPermit(() -> Heddle.delay(Duration.ofHours(1))));
                }
                Heddle.yieldNow();
                throw new IOException("give up");
              }))
          .hasRootCauseMessage("give up");
      assertThat(semaphore.availablePermits()).isEqualTo(2);
      assertThat(semaphore.waiting()).isZero();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  // ---- withPermit ----

  @Test
  void withPermit_returnsTheResultAndReleasesHoweverTheBodyEnds() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      assertThat(semaphore.<String>withPermit(() -> "result")).isEqualTo("result");
      IOException checked = new IOException("checked");
      assertThatThrownBy(() ->
              semaphore.withPermit(() -> {
                assertThat(semaphore.availablePermits()).isZero();
                throw checked;
              }))
          .isInstanceOf(CoroutineException.class)
          .hasCause(checked);
      assertThat(semaphore.availablePermits()).isEqualTo(1);
    });
  }

  // ---- misuse, and what reports say ----

  @Test
  void withPermit_boundedByDeadlineOrToken_doesNotRunTheBody() {
    VirtualTime.run(() -> {
      Semaphore semaphore = new Semaphore(1);
      Deadline soon = Deadline.after(Duration.ofNanos(5));
      Promise<String> token = new Promise<>();
      semaphore.acquire();
      assertThatThrownBy(() -> semaphore.withPermit(() -> log.add("late"), soon))
          .isInstanceOf(DeadlineException.class);
      Action action = () -> log.add("late");
      assertThatThrownBy(() -> semaphore.withPermit(action, soon))
          .isInstanceOf(DeadlineException.class);
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> semaphore.withPermit(() -> log.add("late"), token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> semaphore.withPermit(action, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      semaphore.release();
      assertThat(log).isEmpty();
      // the bounds are those of the wait for the permit, not of the body
      assertThat(semaphore.<String>withPermit(() -> "in time", soon)).isEqualTo("in time");
      semaphore.withPermit(action, token.future());
      assertThat(log).hasSize(1);
      assertThat(semaphore.availablePermits()).isEqualTo(1);
      assertThat(semaphore.waiting()).isZero();
    });
  }

  @Test
  void withPermits_holdsSeveral_andReleasesThemHoweverTheBodyEnds() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(3);
      assertThat(semaphore.<Integer>withPermits(2, semaphore::availablePermits)).isEqualTo(1);
      assertThat(semaphore.availablePermits()).isEqualTo(3);
      semaphore.withPermits(
          3,
          () -> {
            log.add("free: " + semaphore.availablePermits());
          });
      IllegalStateException failure = new IllegalStateException("x");
      Action failing =
          () -> {
            throw failure;
          };
      assertThatThrownBy(() -> semaphore.withPermits(2, failing)).isSameAs(failure);
      assertThat(semaphore.availablePermits()).isEqualTo(3);
      assertThatThrownBy(() -> semaphore.withPermits(0, failing))
          .hasMessageContaining("counts from 1");
    });
    assertThat(log).containsExactly("free: 0");
  }

  @Test
  void withPermits_boundedByDeadlineOrToken_doesNotRunTheBody() {
    VirtualTime.run(() -> {
      Semaphore semaphore = new Semaphore(2);
      Deadline soon = Deadline.after(Duration.ofNanos(5));
      Promise<String> token = new Promise<>();
      Action action = () -> log.add("late");
      semaphore.acquire();
      assertThatThrownBy(() -> semaphore.withPermits(2, () -> log.add("late"), soon))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> semaphore.withPermits(2, action, soon))
          .isInstanceOf(DeadlineException.class);
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> semaphore.withPermits(2, () -> log.add("late"), token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> semaphore.withPermits(2, action, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(log).isEmpty();
      assertThat(semaphore.availablePermits()).isEqualTo(1);
    });
  }

  @Test
  void numbers_thatMakeNoSense_areRefused() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> new Semaphore(-1)).hasMessageContaining("-1 permits");
      Semaphore semaphore = new Semaphore(1);
      assertThatThrownBy(() -> semaphore.acquire(0)).hasMessageContaining("counts from 1");
      assertThatThrownBy(() -> semaphore.tryAcquire(0)).hasMessageContaining("counts from 1");
      assertThatThrownBy(() -> semaphore.release(-1)).hasMessageContaining("counts from 1");
      assertThatThrownBy(() -> semaphore.release(Integer.MAX_VALUE))
          .isInstanceOf(ArithmeticException.class);
      assertThat(semaphore.availablePermits()).isEqualTo(1);
    });
  }

  @Test
  void use_onAnotherLoop_isRefused() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore("slots", 1);
      Loop<?> other =
          Loop.start(() -> {
            assertThatThrownBy(semaphore::acquire).hasMessageContaining("belongs to another loop");
            assertThatThrownBy(semaphore::release).hasMessageContaining("'slots' belongs to");
            return 1;
          });
      assertThat(other.join()).isEqualTo(1);
    });
  }

  @Test
  void waitWithoutEnd_isADeadlockWhoseReportNamesTheSemaphore() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Semaphore semaphore = new Semaphore("slots", 1);
              semaphore.acquire(2);
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("permits of the semaphore 'slots' with 1 of 1 free, 1 waiting");
  }

  @Test
  @Tag("trap-23")
  void release_whereTheStackEnds_wakesTheNext() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      Coroutine<?> next = taker(semaphore, 1, "next");
      assertThat(StackEnd.runAt(semaphore::release)).isTrue();
      next.await();
      assertThat(semaphore.availablePermits()).isZero();
    });
  }
}
