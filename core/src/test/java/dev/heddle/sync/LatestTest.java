// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
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
import dev.heddle.sync.Latest.Changes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LatestTest {
  private final List<Object> log = new ArrayList<>();

  private Coroutine<?> watcher(Latest<Integer> latest) {
    Coroutine<?> watcher =
        Heddle.spawn(
            "watcher",
            () -> {
              for (Integer value : latest) {
                log.add(value);
              }
              log.add("end");
            });
    Heddle.yieldNow();
    return watcher;
  }

  @Test
  void value_isTheOneThatWasSetLast() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(1);
      assertThat(latest.value()).isEqualTo(1);
      assertThat(latest.version()).isZero();
      latest.set(2);
      assertThat(latest.update(v -> v + 1)).isEqualTo(3);
      assertThat(latest.value()).isEqualTo(3);
      assertThat(latest.version()).isEqualTo(2);
      assertThatThrownBy(() -> latest.set(null)).isInstanceOf(NullPointerException.class);
      assertThat(latest.value()).isEqualTo(3);
    });
  }

  @Test
  void watcher_thatIsSlow_seesTheNewestOnly() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Coroutine<?> watcher = watcher(latest);
      assertThat(log).containsExactly(0);
      latest.set(1);
      latest.set(2); // the watcher was woken for 1, and has not run
      Heddle.yieldNow();
      assertThat(log).containsExactly(0, 2);
      latest.set(3);
      latest.close();
      watcher.await();
    });
    assertThat(log).containsExactly(0, 2, 3, "end");
  }

  @Test
  void set_toAnEqualValue_isAChange() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Coroutine<?> watcher = watcher(latest);
      latest.set(0);
      Heddle.yieldNow();
      latest.close();
      watcher.await();
    });
    assertThat(log).containsExactly(0, 0, "end");
  }

  @Test
  void everyWatcher_seesAChange_inTheOrderInWhichTheyBeganToWait() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      IntStream.range(0, 5)
          .forEach(i ->
              Heddle.launch(
                  "watcher " + i, () -> log.add(i + " sees " + latest.await(v -> v > 0))));
      Heddle.yieldNow();
      latest.set(1);
    });
    assertThat(log).containsExactly("0 sees 1", "1 sees 1", "2 sees 1", "3 sees 1", "4 sees 1");
  }

  // ---- changes ----

  @Test
  void changes_beginAfterTheCurrentValue() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Changes<Integer> changes = latest.changes();
      assertThat(changes.hasChanged()).isFalse();
      latest.set(1);
      latest.set(2);
      assertThat(changes.hasChanged()).isTrue();
      assertThat(changes.version()).isZero();
      assertThat(changes.next()).isEqualTo(2);
      assertThat(changes.version()).isEqualTo(2);
      assertThat(changes.hasChanged()).isFalse();
      Heddle.launch("setter", () -> latest.set(3));
      assertThat(changes.next()).isEqualTo(3);
    });
  }

  @Test
  void next_afterTheEnd_isTheLastValueOnce() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of("config", 0);
      Changes<Integer> changes = latest.changes();
      latest.set(1);
      latest.close();
      latest.close();
      assertThat(changes.next()).isEqualTo(1);
      assertThatThrownBy(changes::next)
          .isInstanceOf(ChannelClosedException.class)
          .hasMessage(
              "the latest value 'config' was closed by coroutine-1 'main', and its last value was"
                  + " seen; stop watching");
      Iterator<Integer> iterator = changes.iterator();
      assertThat(iterator.hasNext()).isFalse();
      assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
      assertThat(latest.value()).isEqualTo(1);
      assertThat(latest.isClosed()).isTrue();
    });
  }

  @Test
  void close_withAFailure_endsALoopWithIt() {
    IOException failure = new IOException("source");
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      var watcher =
          Heddle.supervise(s -> {
            var spawned =
                s.spawn(() -> {
                  latest.forEach(log::add);
                  return 1;
                });
            Heddle.yieldNow();
            latest.set(1);
            latest.close(failure);
            assertThatThrownBy(spawned::await)
                .isInstanceOf(ChannelClosedException.class)
                .hasCause(failure);
            return spawned;
          });
      assertThat(watcher.isDone()).isTrue();
      assertThatThrownBy(() -> latest.set(2)).hasCause(failure);
      assertThatThrownBy(() -> latest.update(v -> v)).hasMessageContaining("stop setting it");
    });
    assertThat(log).containsExactly(0, 1);
  }

  // ---- await ----

  @Test
  void await_ofAValueThatFulfilsIt_doesNotSuspend() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(5);
      long before = Heddle.counters().switches();
      assertThat(latest.await(v -> v == 5)).isEqualTo(5);
      assertThat(Heddle.counters().switches()).isEqualTo(before);
    });
  }

  @Test
  @Tag("trap-7")
  void await_wokenByAValueThatDoesNotFulfilIt_waitsOn() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Coroutine<Integer> awaiter = Heddle.spawn(() -> latest.await(v -> v >= 3));
      for (int i = 1; i <= 3; i++) {
        Heddle.yieldNow();
        assertThat(awaiter.isDone()).isFalse();
        latest.set(i);
      }
      assertThat(awaiter.await()).isEqualTo(3);
      assertThat(latest.info()).endsWith("of version 3, 0 waiting");
    });
  }

  @Test
  void await_thatCanNoMoreBeFulfilled_isToldAtTheClose() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Heddle.launch("closer", latest::close);
      assertThatThrownBy(() -> latest.await(v -> v > 0))
          .isInstanceOf(ChannelClosedException.class)
          .hasMessageContaining("does not fulfil the condition");
      assertThat(latest.await(v -> v == 0)).isZero();
    });
  }

  @Test
  void await_whoseConditionSuspends_missesNoChangeMeanwhile() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Heddle.launch("setter", () -> latest.set(1));
      int value =
          latest.await(v -> {
            Heddle.yieldNow(); // the setter runs
            return v == 1;
          });
      assertThat(value).isEqualTo(1);
    });
  }

  @Test
  void boundedWaits_leaveNothingBehind() {
    VirtualTime.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Changes<Integer> changes = latest.changes();
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> latest.await(v -> v > 0, soon))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> changes.next(soon)).isInstanceOf(DeadlineException.class);
      Promise<String> token = new Promise<>();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> latest.await(v -> v > 0, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> changes.next(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(latest.info()).endsWith("0 waiting");
      latest.set(1);
      assertThat(changes.next(soon)).isEqualTo(1); // it bounds only waits
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  @Tag("trap-1")
  void watcher_wokenAndCancelledBeforeItRuns_stillHasTheChange() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Changes<Integer> changes = latest.changes();
      Coroutine<?> watcher = Heddle.spawn(() -> changes.next());
      Heddle.yieldNow();
      latest.set(1);
      watcher.cancel("leave");
      assertThatThrownBy(watcher::await).isInstanceOf(Cancellation.class);
      assertThat(changes.hasChanged()).isTrue();
      assertThat(changes.next()).isEqualTo(1);
    });
  }

  // ---- update ----

  @Test
  void update_besideOthersWhileItSuspends_losesNone() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Heddle.scope(() ->
          IntStream.range(0, 10)
              .forEach(i ->
                  Heddle.launch(
                      "adder",
                      () ->
                          latest.update(v -> {
                            Heddle.yieldNow();
                            return v + 1;
                          }))));
      assertThat(latest.value()).isEqualTo(10);
      assertThat(latest.version()).isEqualTo(10);
    });
  }

  // ---- misuse, and what reports say ----

  @Test
  void use_onAnotherLoop_isRefused() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of("config", 0);
      Loop<?> other =
          Loop.start(() -> {
            assertThatThrownBy(() -> latest.set(1)).hasMessageContaining("belongs to another loop");
            assertThatThrownBy(() -> latest.await(v -> v > 0)).hasMessageContaining("'config'");
            assertThatThrownBy(latest::changes).hasMessageContaining("belongs to another loop");
            return 1;
          });
      assertThat(other.join()).isEqualTo(1);
    });
  }

  @Test
  void waitWithoutEnd_isADeadlockWhoseReportNamesTheValue() {
    assertThatThrownBy(() -> Heddle.run(() -> Latest.of("config", 0).await(v -> v > 0)))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("a change of the latest value 'config' of version 0, 1 waiting");
  }

  @Test
  @Tag("trap-23")
  void set_whereTheStackEnds_wakesTheWatchers() {
    Heddle.run(() -> {
      Latest<Integer> latest = Latest.of(0);
      Coroutine<Integer> watcher = Heddle.spawn(() -> latest.await(v -> v > 0));
      Heddle.yieldNow();
      assertThat(StackEnd.runAt(() -> latest.set(1))).isTrue();
      assertThat(watcher.await()).isEqualTo(1);
      assertThat(latest.version()).isEqualTo(1); // it was not set half, and then again
    });
  }

  /// Random sets, updates, waits and cancellations: each watcher sees versions that only grow, and
  /// the last one at the end.
  @Test
  void randomPrograms_everyWatcherEndsWithTheLastValue() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      List<List<Integer>> seen = new ArrayList<>();
      List<Coroutine<?>> cancelled = new ArrayList<>();
      List<Coroutine<?>> watchers = new ArrayList<>();
      VirtualTime.run(() -> {
        Latest<Integer> latest = Latest.of(0);
        Heddle.supervise(s -> {
          for (int i = 0; i < 5; i++) {
            List<Integer> mine = new ArrayList<>();
            seen.add(mine);
            watchers.add(
                s.spawn(() -> {
                  watch(latest, mine, random);
                  return 1;
                }));
          }
          for (int i = 1; i <= 10; i++) {
            latest.set(i);
            if (random.nextInt(10) == 0) {
              Coroutine<?> one = watchers.get(random.nextInt(5));
              one.cancel("by the program");
              cancelled.add(one);
            }
            if (random.nextBoolean()) {
              Heddle.yieldNow();
            }
          }
          latest.close();
          return null;
        });
        assertThat(latest.info()).contains("0 waiting");
      });
      for (int i = 0; i < 5; i++) {
        assertThat(seen.get(i)).as("seed %s", seed).isSorted().doesNotHaveDuplicates();
        if (!cancelled.contains(watchers.get(i))) {
          assertThat(seen.get(i).getLast()).as("seed %s", seed).isEqualTo(10);
        }
      }
    }
  }

  private static void watch(Latest<Integer> latest, List<Integer> seen, Random random) {
    for (Integer value : latest) {
      seen.add(value);
      if (random.nextInt(3) == 0) {
        Heddle.yieldNow();
      }
    }
  }
}
