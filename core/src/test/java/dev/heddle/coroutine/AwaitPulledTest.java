// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waits for several that an iterator brings one by one, and that may suspend to do so.
@Timeout(300)
class AwaitPulledTest {
  private final List<String> log = new ArrayList<>();
  private final IllegalStateException failure = new IllegalStateException("x");

  /// An iterable that suspends before it starts, before each answer, and before each item.
  private static <T> Iterable<Awaitable<T>> lazily(int count, IntFunction<Awaitable<T>> item) {
    return () -> {
      Heddle.yieldNow();
      return new Iterator<>() {
        private int next;

        @Override
        public boolean hasNext() {
          Heddle.yieldNow();
          return next < count;
        }

        @Override
        public Awaitable<T> next() {
          Heddle.yieldNow();
          return item.apply(next++);
        }
      };
    };
  }

  @Test
  @Tag("loop-69")
  void all_ofALazyIterable_pullsOneByOneWhileOthersRun() {
    Heddle.run(() -> {
      Heddle.background(
          "other",
          () -> {
            while (true) {
              log.add("other");
              Heddle.yieldNow();
            }
          });
      List<Integer> results =
          Await.all(
              lazily(
                  3,
                  i -> {
                    log.add("pulled " + i);
                    return Heddle.spawn(() -> i * 10);
                  }));
      assertThat(results).containsExactly(0, 10, 20);
    });
    assertThat(log).containsSubsequence("pulled 0", "other", "pulled 1", "other", "pulled 2");
  }

  @Test
  @Tag("loop-69")
  void allSettled_ofAPlainIterator_hasAllResults() {
    Heddle.run(() -> {
      Iterator<Coroutine<Integer>> source =
          List.of(Heddle.spawn(() -> 1), Heddle.spawn(() -> 2)).iterator();
      assertThat(Await.of(source).allSettled().values()).containsExactly(1, 2);
    });
  }

  @Test
  @Tag("loop-70")
  void iterator_thatThrows_endsTheWaitAtOnce() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          Coroutine<String> slow =
              s.spawn(() -> {
                Heddle.delay(Duration.ofHours(1));
                return "never";
              });
          IntFunction<Awaitable<String>> source =
              i -> {
                if (i == 1) {
                  throw failure;
                }
                return slow;
              };
          assertThatThrownBy(() -> Await.allSettled(lazily(5, source))).isSameAs(failure);
          assertThatThrownBy(() -> Await.all(lazily(5, source))).isSameAs(failure);
          Iterable<Awaitable<String>> broken =
              () -> {
                throw failure;
              };
          assertThatThrownBy(() -> Await.race(broken)).isSameAs(failure);
          assertThat(EventSource.of(slow).subscribers()).isZero();
          slow.cancel("enough");
          return null;
        }));
  }

  @Test
  @Tag("loop-72")
  void failureOfAnUnrelatedCoroutine_interruptsTheWaitAndEndsTheRun() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch(
                  "unrelated",
                  () -> {
                    Heddle.yieldNow();
                    throw failure;
                  });
              try {
                Await.all(
                    lazily(
                        1_000_000,
                        i ->
                            Heddle.spawn(() -> {
                              Heddle.yieldNow();
                              return i;
                            })));
              } catch (Cancellation c) {
                log.add("interrupted");
                throw c;
              }
            }))
        .isSameAs(failure);
    assertThat(log).containsExactly("interrupted");
  }

  @Test
  void race_thatIsDecided_pullsNoMoreAndEndsThePuller() {
    Heddle.run(() -> {
      long before = Heddle.counters().coroutines();
      Iterator<Coroutine<Integer>> endless =
          new Iterator<>() {
            @Override
            public boolean hasNext() {
              return true;
            }

            @Override
            public Coroutine<Integer> next() {
              log.add("pulled");
              if (log.size() == 2) {
                Heddle.delay(Duration.ofHours(1)); // cut when the first one ends
              }
              return Heddle.spawn(() -> {
                Heddle.delay(Duration.ofMillis(2)); // ends while the iterator waits
                return 7;
              });
            }
          };
      assertThat(Await.of(endless).raceOrFail()).isEqualTo(7);
      assertThat(Heddle.counters().coroutines()).isEqualTo(before);
      assertThat(Heddle.counters().timers()).isZero();
    });
    assertThat(log).containsExactly("pulled", "pulled");
  }

  @Test
  void whatTheIteratorSpawned_outlivesTheWait() {
    Heddle.run(() -> {
      List<Coroutine<Integer>> spawned = new ArrayList<>();
      int first =
          Await.raceOrFail(
              lazily(
                  2,
                  i -> {
                    Coroutine<Integer> c =
                        Heddle.spawn(() -> {
                          Heddle.delay(Duration.ofMillis(i * 5L));
                          return i;
                        });
                    spawned.add(c);
                    return c;
                  }));
      assertThat(first).isZero();
      assertThat(spawned).noneMatch(Coroutine::isCancelled);
    });
  }

  @Test
  void endlessIterator_thatNeverWaits_letsOthersRun() {
    Heddle.run(() -> {
      Iterator<Coroutine<Integer>> endless =
          Stream.iterate(1, n -> n + 1).map(n -> Heddle.spawn(() -> n * n)).iterator();
      assertThat(Await.of(endless).anyOf(3).values()).containsExactly(1, 4, 9);
    });
  }

  @Test
  void iterator_inAScopeThatTakesNoMoreMembers_isPulledByTheWaiterItself() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          Coroutine<String> done = s.spawn(() -> "done");
          done.await();
          Coroutine<Object> cleaning =
              s.spawn(() -> {
                try {
                  Heddle.delay(Duration.ofHours(1));
                } finally {
                  log.add(Await.of(List.of(done).iterator()).raceOrFail());
                }
                return null;
              });
          Heddle.yieldNow();
          s.cancel("enough");
          assertThatThrownBy(cleaning::await).isInstanceOf(Cancellation.class);
          return null;
        }));
    assertThat(log).containsExactly("done");
  }

  @Test
  void deadline_thatRunsOutWhileTheIteratorSuspends_endsBoth() {
    Heddle.run(() -> {
      Iterable<Awaitable<Integer>> stuck =
          lazily(
              1,
              i -> {
                Heddle.delay(Duration.ofHours(1));
                return Heddle.spawn(() -> 1);
              });
      assertThatThrownBy(
              () -> Await.of(stuck).until(Deadline.after(Duration.ofMillis(2))).allSettled())
          .isInstanceOf(DeadlineException.class);
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void iterator_thatFailsWhenItIsAskedToEnd_isReported() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Iterable<Awaitable<Integer>> stubborn =
            lazily(
                2,
                i -> {
                  if (i == 1) {
                    try {
                      Heddle.delay(Duration.ofHours(1));
                    } catch (Cancellation _) {
                      throw failure;
                    }
                  }
                  return Heddle.spawn(() -> {
                    Heddle.delay(Duration.ofMillis(2));
                    return 1;
                  });
                });
        assertThat(Await.raceOrFail(stubborn)).isEqualTo(1);
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
  }
}
