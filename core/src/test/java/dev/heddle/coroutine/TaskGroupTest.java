// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Outcomes.Outcome;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class TaskGroupTest {
  private final List<Object> log = new ArrayList<>();

  /// Lets every coroutine that is ready run until it waits.
  private static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  private static Event elapsed() {
    Event event = Heddle.timer(Duration.ofNanos(1));
    Heddle.await(event);
    return event;
  }

  private static String yielding(int times, String result) {
    for (int i = 0; i < times; i++) {
      Heddle.yieldNow();
    }
    return result;
  }

  private static String fail(String message) {
    throw new IllegalStateException(message);
  }

  // ---- the limit ----

  @Test
  @Tag("loop-196")
  void concurrencyOfOne_runsTheTasksOneAfterTheOther() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(1);
      for (String task : List.of("a", "b", "c")) {
        group.spawn(() -> {
          log.add("start " + task);
          Heddle.yieldNow();
          log.add("end " + task);
          return task;
        });
      }
      assertThat(group.all()).containsExactly("a", "b", "c");
      assertThat(log).containsExactly("start a", "end a", "start b", "end b", "start c", "end c");
    });
  }

  @Test
  @Tag("trap-24")
  void spawn_beyondTheLimit_suspendsTheSpawner() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(2);
      Promise<String> gate = new Promise<>();
      group.spawn(gate.future()::await);
      group.spawn(gate.future()::await);
      Coroutine<?> spawner =
          Heddle.spawn(() -> {
            group.spawn(() -> "third");
            log.add("spawned");
          });
      settle();
      assertThat(log).isEmpty();
      assertThat(group.running()).isEqualTo(2);
      assertThat(group.size()).isEqualTo(3);
      assertThat(group.trySpawn(() -> "fourth")).isNull();

      gate.complete("open");
      Heddle.await(spawner);
      assertThat(group.all()).containsExactly("open", "open", "third");
    });
  }

  @Test
  @Tag("trap-3")
  void spawners_areServedInTheOrderOfArrival_andNoneOvertakes() {
    Heddle.run(() -> {
      TaskGroup<Integer> group = new TaskGroup<>(1);
      Promise<Integer> gate = new Promise<>();
      group.spawn(gate.future()::await);
      for (int i = 1; i <= 3; i++) {
        int number = i;
        Heddle.spawn(() ->
            group.spawn(() -> {
              log.add(number);
              return number;
            }));
      }
      settle();
      gate.complete(0);
      Heddle.yieldNow(); // the slot is given by now, and its spawner has perhaps not run
      assertThat(group.trySpawn(() -> 99)).isNull();
      assertThat(group.all()).containsExactly(0, 1, 2, 3);
      assertThat(log).containsExactly(1, 2, 3);
    });
  }

  @Test
  @Tag("trap-1")
  void spawnerWithAReservedSlot_thatIsCancelled_handsTheSlotOn() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(1);
      Promise<String> gate = new Promise<>();
      group.spawn(gate.future()::await);
      Coroutine<?> first = Heddle.spawn(() -> group.spawn("first", () -> "first"));
      Heddle.spawn(() -> group.spawn("second", () -> "second"));
      Coroutine<?> canceller =
          Heddle.spawn(() -> {
            gate.future().await();
            first.cancel("after its slot was given");
          });
      settle();
      gate.complete("gate");
      settle();
      assertThat(canceller.isDone()).isTrue();
      assertThat(group.outcomes().results()).containsOnlyKeys(0, "second");
      assertThat(group.running()).isZero();
    });
  }

  @Test
  void spawn_boundedByDeadlineOrToken_startsNoTask() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(1);
      Promise<String> gate = new Promise<>();
      group.spawn(gate.future()::await);
      assertThatThrownBy(() -> group.spawn(() -> "late", Deadline.after(Duration.ofNanos(1))))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> group.spawn("key", () -> "late", elapsed()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(group.size()).isEqualTo(1);
      gate.complete("done");
      settle();
      group.spawn("key", () -> "the key is free again");
      assertThat(group.all()).containsExactly("done", "the key is free again");
    });
  }

  @Test
  void slot_isKeptUntilTheCleanUpOfACancelledTaskIsOver() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(1);
      Promise<String> cleanUp = new Promise<>();
      Future<String> task =
          group.spawn(() -> {
            try {
              Heddle.await(Heddle.timer(Duration.ofDays(1)));
              return "";
            } finally {
              cleanUp.future().await();
            }
          });
      settle();
      task.cancel("enough");
      settle();
      assertThat(task.isCancelled()).isTrue();
      assertThat(group.trySpawn(() -> "next")).isNull();
      cleanUp.complete("done");
      settle();
      assertThat(group.trySpawn(() -> "next")).isNotNull();
    });
  }

  @Test
  void concurrencyBelowOne_isRefused() {
    Heddle.run(() ->
        assertThatThrownBy(() -> new TaskGroup<String>(0))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("give at least 1"));
  }

  // ---- keys ----

  @Test
  @Tag("loop-197")
  void key_used_isRefused_ofAnyType() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn("a", () -> "1");
      assertThatThrownBy(() -> group.spawn("a", () -> "2"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Duplicate key a in TaskGroup");
      group.spawn(7, () -> "3");
      assertThatThrownBy(() -> group.trySpawn(7, () -> "4"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Duplicate key 7 in TaskGroup");
      assertThat(group.all()).containsExactly("1", "3");
    });
  }

  @Test
  void tasksWithoutAKey_getTheFreeNumbers() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(1, () -> "one");
      group.spawn(() -> "first free");
      group.spawn(() -> "second free");
      group.all();
      assertThat(group.outcomes().results().keySet()).containsExactly(1, 0, 2);
    });
  }

  // ---- all ----

  @Test
  @Tag("loop-198")
  void all_whenSomeFail_throwsEveryFailure() {
    // also a single failure comes in a CompositeException, so that a caller catches one type
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      IOException checked = new IOException("checked");
      group.spawn(() -> fail(yielding(3, "first")));
      group.spawn(() -> "success");
      group.spawn(() -> {
        throw checked;
      });
      var thrown = catchThrowableOfType(CompositeException.class, group::all);
      assertThat(thrown).hasMessage("2 of 3 tasks of a task group failed");
      assertThat(thrown.failures()).hasSize(2);
      assertThat(thrown.failures().get(0)).hasMessage("first");
      assertThat(thrown.failures().get(1)).isInstanceOf(CoroutineException.class).hasCause(checked);
    });
  }

  @Test
  @Tag("loop-198")
  void allSuccessful_leavesTheFailuresOut() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn("bad", () -> fail("bad"));
      group.spawn("good", () -> yielding(2, "success"));
      assertThat(group.allSuccessful()).containsExactly("success");
      assertThat(group.outcomes().failures().get("bad")).hasMessage("bad");
      assertThat(group.outcomes().results()).containsOnlyKeys("good");
    });
  }

  @Test
  void all_waitsForTasksThatTasksSpawn() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> {
        Heddle.yieldNow();
        group.spawn(() -> yielding(3, "inner"));
        return "outer";
      });
      assertThat(group.all()).containsExactly("outer", "inner");
    });
  }

  @Test
  void all_bounded_leavesTheTasksRunning() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      Promise<String> gate = new Promise<>();
      group.spawn(gate.future()::await);
      Deadline soon = Deadline.after(Duration.ofNanos(1));
      assertThatThrownBy(() -> group.all(soon)).isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> group.allSuccessful(soon)).isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> group.joinAll(elapsed())).isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> group.race(soon)).isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> group.any(elapsed())).isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> group.joinNext(soon)).isInstanceOf(DeadlineException.class);
      gate.complete("done");
      assertThat(group.all()).containsExactly("done");
    });
  }

  // ---- race and any ----

  @Test
  @Tag("loop-200")
  void race_anyAndJoins_ofAnEmptyGroup_throwAtOnce() {
    // the exception is that of Await.anyOrFail without awaitables, and of an empty collection
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      assertThatThrownBy(group::race)
          .isInstanceOf(NoSuchElementException.class)
          .hasMessage("nothing to wait for: a task group has no tasks");
      assertThatThrownBy(group::any).isInstanceOf(NoSuchElementException.class);
      assertThatThrownBy(group::joinNext).isInstanceOf(NoSuchElementException.class);
      assertThatThrownBy(group::joinAny).isInstanceOf(NoSuchElementException.class);
      assertThat(group.all()).isEmpty();
    });
  }

  @Test
  @Tag("loop-201")
  void waits_forTasksThatHaveEnded_returnAtOnce_inTheOrderOfTheSpawns() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> fail(yielding(3, "failed")));
      group.spawn(() -> yielding(2, "slow"));
      group.spawn(() -> "fast");
      settle();
      Heddle.assertNoSuspend(() -> {
        assertThatThrownBy(group::race).hasMessage("failed");
        assertThat(group.any()).isEqualTo("slow");
        assertThat(group.allSuccessful()).containsExactly("slow", "fast");
        assertThatThrownBy(group::all).isInstanceOf(CompositeException.class);
      });
    });
  }

  @Test
  void race_isTheOutcomeOfTheFirstToEnd_andCancelsTheOthers() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      Future<String> loser =
          group.spawn(() -> {
            try {
              return Heddle.promise().future().await().toString();
            } finally {
              Heddle.yieldNow();
              log.add("cleaned up");
            }
          });
      group.spawn(() -> yielding(3, "winner"));
      assertThat(group.race()).isEqualTo("winner");
      group.close();
      group.awaitCompletion();
      assertThat(log).containsExactly("cleaned up");
      assertThat(loser.isCancelled()).isTrue();
      assertThat(group.race()).isEqualTo("winner");
    });
  }

  @Test
  void race_wonByAFailure_throwsIt() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> yielding(5, "late"));
      group.spawn(() -> fail("first"));
      assertThatThrownBy(group::race).hasMessage("first");
    });
  }

  @Test
  void any_leavesFailuresOut_andCancelsTheOthers() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> fail("first"));
      Future<?> loser = group.spawn(() -> Heddle.<String>promise().future().await());
      group.spawn(() -> yielding(3, "winner"));
      assertThat(group.any()).isEqualTo("winner");
      settle();
      assertThat(loser.isCancelled()).isTrue();
    });
  }

  @Test
  void any_whenAllFail_throwsEveryFailure() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> fail(yielding(2, "a")));
      group.spawn(() -> fail("b"));
      var thrown = catchThrowableOfType(CompositeException.class, group::any);
      assertThat(thrown.failures()).extracting(Throwable::getMessage).containsExactly("a", "b");
      assertThatThrownBy(group::joinAny).isInstanceOf(CompositeException.class);
    });
  }

  // ---- the end ----

  @Test
  @Tag("loop-202")
  void close_letsTasksComplete_andTakesNoMore() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>("pages", 2);
      group.spawn(() -> yielding(3, "done"));
      group.close();
      assertThat(group.isClosed()).isTrue();
      assertThatThrownBy(() -> group.spawn(() -> "late"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the task group 'pages' is closed; it takes no more tasks");
      assertThatThrownBy(() -> group.trySpawn(() -> "late"))
          .isInstanceOf(IllegalStateException.class);
      assertThat(group.all()).containsExactly("done");
    });
  }

  @Test
  void close_refusesASpawnerThatWaits() {
    // loop-202 leaves it open; a sender that waits for a channel is refused by close(), too
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(1);
      Promise<String> gate = new Promise<>();
      group.spawn(gate.future()::await);
      Coroutine<?> spawner =
          Heddle.spawn(() ->
              assertThatThrownBy(() -> group.spawn(() -> "late"))
                  .isInstanceOf(IllegalStateException.class));
      settle();
      group.close();
      Heddle.await(spawner);
      assertThat(group.size()).isEqualTo(1);
      gate.complete("done");
      assertThat(group.all()).containsExactly("done");
    });
  }

  @Test
  @Tag("loop-204")
  void awaitCompletion_ofAnOpenGroup_throws() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      assertThatThrownBy(group::awaitCompletion)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("close() it first");
    });
  }

  @Test
  @Tag("loop-204")
  void awaitCompletion_withFailures_throwsNothing() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> fail(yielding(3, "failed")));
      group.close();
      group.awaitCompletion();
      assertThat(group.isFinished()).isTrue();
      assertThat(group.outcomes().failures()).hasSize(1);
    });
  }

  @Test
  @Tag("loop-205")
  void onCompletion_runsAfterTheAwaiterHasContinued() {
    // complete: closed, and no task runs; an open group may get further tasks
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.onCompletion(done -> log.add("handler of " + done.size()));
      group.spawn(() -> yielding(2, "done"));
      group.close();
      group.all();
      log.add("awaiter");
      settle();
      assertThat(log).containsExactly("awaiter", "handler of 1");
    });
  }

  @Test
  @Tag("loop-205")
  void onCompletion_ofACompleteGroup_runsDirectly() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> "done");
      group.close();
      group.all();
      settle();
      Heddle.assertNoSuspend(() -> {
        group.onCompletion(_ -> log.add("handler"));
        assertThat(log).containsExactly("handler");
      });
    });
  }

  @Test
  void scope_waitsForTheTasks_andCancelsThemWhenItIsCancelled() {
    Heddle.run(() -> {
      Heddle.scope(() -> {
        TaskGroup<String> group = new TaskGroup<>();
        group.spawn(() -> yielding(3, "done"));
        group.onCompletion(_ -> log.add("complete"));
        group.spawn(() -> {
          log.add("ran");
          return "";
        });
      });
      assertThat(log).containsExactly("ran", "complete");

      Throwable thrown =
          catchThrowable(() ->
              Heddle.scope(() -> {
                TaskGroup<String> group = new TaskGroup<>();
                group.spawn(() -> {
                  try {
                    return Heddle.<String>promise().future().await();
                  } finally {
                    log.add("cancelled");
                  }
                });
                settle();
                throw new IllegalStateException("body");
              }));
      assertThat(thrown).hasMessage("body");
      assertThat(log).endsWith("cancelled");
    });
  }

  @Test
  void cancel_cancelsTheTasks_whoseOutcomesAreCancellations() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> "done");
      group.spawn(() -> Heddle.<String>promise().future().await());
      settle();
      group.cancel("no longer needed");
      group.awaitCompletion();
      assertThat(group.allSuccessful()).containsExactly("done");
      assertThat(group.outcomes().failures().get(1))
          .isInstanceOf(Cancellation.class)
          .hasMessage("no longer needed");
      assertThatThrownBy(() -> group.spawn(() -> "late")).isInstanceOf(IllegalStateException.class);
    });
  }

  // ---- iteration ----

  @Test
  @Tag("loop-206")
  void iteration_hasEachOutcomeWithItsKey_inTheOrderOfTheSpawns() {
    // loop-206 does not say when the loop ends: at the close, as a loop over a channel, since a
    // consumer must not end early because its producer is slow
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn("slow", () -> yielding(5, "1"));
      group.spawn("bad", () -> fail("2"));
      Coroutine<?> late =
          Heddle.spawn(() -> {
            yielding(20, "");
            group.spawn("late", () -> "3");
            group.close();
          });
      for (Outcome<Object, String> o : group) {
        log.add(o.key() + ": " + o.result() + ", " + (o.failure() == null ? null : "failed"));
      }
      assertThat(late.isDone()).isTrue();
      assertThat(log).containsExactly("slow: 1, null", "bad: null, failed", "late: 3, null");
      assertThat(group.size()).isEqualTo(3);
    });
  }

  @Test
  void asCompleted_followsTheEnds() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> yielding(5, "slow"));
      group.spawn(() -> "fast");
      group.spawn(() -> yielding(2, "middle"));
      group.close();
      for (Outcome<Object, String> o : group.asCompleted()) {
        log.add(o.result());
      }
      assertThat(log).containsExactly("fast", "middle", "slow");
      var none = new TaskGroup<String>();
      none.close();
      assertThatThrownBy(() -> none.iterator().next()).isInstanceOf(NoSuchElementException.class);
    });
  }

  // ---- state ----

  @Test
  @Tag("loop-208")
  void newGroup_isFinishedAndOpen_andAfterASpawnNeither() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>("pages", 3);
      assertThat(group.isFinished()).isTrue();
      assertThat(group.isClosed()).isFalse();
      group.spawn(() -> "done");
      assertThat(group.isFinished()).isFalse();
      assertThat(group.isClosed()).isFalse();
      assertThat(group)
          .hasToString("the task group 'pages' with 1 of 3 running, 0 ended, 0 waiting");
      group.all();
    });
  }

  // ---- joining ----

  @Test
  @Tag("loop-209")
  void joinNext_removesWhatItReturns() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> yielding(3, "slow"));
      group.spawn(() -> "fast");
      assertThat(group.size()).isEqualTo(2);
      assertThat(group.joinNext()).isEqualTo("fast");
      assertThat(group.size()).isEqualTo(1);
      assertThat(group.joinNext()).isEqualTo("slow");
      assertThat(group.size()).isZero();
      assertThatThrownBy(group::joinNext).isInstanceOf(NoSuchElementException.class);
    });
  }

  @Test
  @Tag("loop-209")
  void joinAll_emptiesTheGroup() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn("a", () -> yielding(3, "a"));
      group.spawn("b", () -> "b");
      assertThat(group.joinAll()).containsExactly("a", "b");
      assertThat(group.size()).isZero();
      group.spawn("a", () -> fail("the key is free again"));
      assertThatThrownBy(group::joinAll).isInstanceOf(CompositeException.class);
      assertThat(group.size()).isZero();
    });
  }

  @Test
  @Tag("loop-209")
  void joinNext_throwsTheFirstFailure_andJoinAnySkipsFailures() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> fail("first"));
      group.spawn(() -> fail(yielding(1, "second")));
      group.spawn(() -> yielding(3, "success"));
      group.spawn(() -> yielding(5, "late"));
      assertThatThrownBy(group::joinNext).hasMessage("first");
      assertThat(group.joinAny()).isEqualTo("success");
      assertThat(group.size()).isEqualTo(1);
      assertThat(group.joinAny()).isEqualTo("late");
    });
  }

  @Test
  void joinAny_thatIsCancelled_namesTheFailuresItSkipped() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> fail("skipped"));
      Promise<String> gate = new Promise<>();
      group.spawn(gate.future()::await);
      Throwable thrown = catchThrowable(() -> group.joinAny(Deadline.after(Duration.ofMillis(1))));
      assertThat(thrown).isInstanceOf(DeadlineException.class);
      assertThat(Heddle.reportOf(thrown).merged())
          .singleElement()
          .satisfies(failure -> assertThat(failure).hasMessage("skipped"));
      gate.complete("");
    });
  }

  @Test
  @Tag("trap-1")
  void joinerWithAReservedTask_thatIsCancelled_handsItOn() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      Promise<String> gate = new Promise<>();
      group.spawn(gate.future()::await);
      Coroutine<?> first = Heddle.spawn(() -> log.add("first got " + group.joinNext()));
      Coroutine<?> second = Heddle.spawn(() -> log.add("second got " + group.joinNext()));
      settle();
      gate.complete("it");
      Heddle.yieldNow(); // the task ends and is given to the first, which has not run
      first.cancel("after it was given the task");
      Heddle.await(second);
      assertThat(log).containsExactly("second got it");
    });
  }

  @Test
  void joinersBeyondTheTasks_throwWhenNoneIsLeft() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> yielding(3, "only"));
      Coroutine<String> first = Heddle.spawn(() -> group.joinNext());
      assertThatThrownBy(
              () -> {
                settle();
                Heddle.yieldNow();
                group.joinNext();
              })
          .isInstanceOf(NoSuchElementException.class);
      assertThat(first.await()).isEqualTo("only");

      group.spawn(() -> yielding(5, "another"));
      Coroutine<String> winner = Heddle.spawn(() -> group.joinNext());
      Heddle.yieldNow();
      assertThatThrownBy(group::joinNext).isInstanceOf(NoSuchElementException.class);
      assertThat(winner.await()).isEqualTo("another");
    });
  }

  @Test
  @Tag("loop-210")
  void onCompletion_afterJoinAll_seesAnEmptyGroup() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.onCompletion(done -> log.add(done.size()));
      group.spawn(() -> yielding(2, "a"));
      group.spawn(() -> "b");
      group.close();
      group.joinAll();
      settle();
      assertThat(log).containsExactly(0);
    });
  }

  // ---- failures and reports ----

  @Test
  @Tag("trap-18")
  void failure_thatNoCallerReads_isReportedOnce() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        TaskGroup<String> group = new TaskGroup<>("pages", 2);
        group.spawn("bad", () -> fail("unread"));
        group.close();
        group.awaitCompletion();
      });
      assertThat(reports.messages())
          .singleElement()
          .asString()
          .contains("unobserved failure of the future 'pages[bad]'");
    }
  }

  @Test
  @Tag("trap-18")
  void failure_thatWasRead_isNotReported() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        for (int way = 0; way < 6; way++) {
          TaskGroup<String> group = new TaskGroup<>();
          Future<String> task = group.spawn(() -> fail("read"));
          group.close();
          group.awaitCompletion();
          switch (way) {
            case 0 -> assertThatThrownBy(group::all).isNotNull();
            case 1 -> group.outcomes();
            case 2 -> assertThatThrownBy(group::joinNext).isNotNull();
            case 3 -> group.iterator().next();
            case 4 -> assertThatThrownBy(task::await).isNotNull();
            default -> assertThatThrownBy(group::race).isNotNull();
          }
        }
      });
      assertThat(reports.messages()).isEmpty();
    }
  }

  @Test
  void failureOfACleanUp_afterTheFutureWasCancelled_isReported() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        TaskGroup<String> group = new TaskGroup<>();
        Future<String> task =
            group.spawn(() -> {
              try {
                return Heddle.<String>promise().future().await();
              } finally {
                fail("clean-up");
              }
            });
        settle();
        task.cancel("enough");
        settle();
        assertThat(group.allSuccessful()).isEmpty();
      });
      assertThat(reports.messages())
          .singleElement()
          .asString()
          .contains("a failure arrived after the cancellation of");
    }
  }

  @Test
  void deadlock_namesTheGroupAndTheTaskThatHoldsTheSlot() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              TaskGroup<String> group = new TaskGroup<>("inner", 1);
              group.spawn("outer", () -> group.spawn("inner", () -> "").await());
              group.all();
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("the task group 'inner' with 1 of 1 running")
        .hasMessageContaining("inner[outer]");
  }

  @Test
  void loopThatEndsWithoutATask_reportsThatAlone() {
    Semaphore held = new Semaphore(0);
    try (Reports reports = new Reports()) {
      Throwable thrown =
          catchThrowable(() ->
              Heddle.run(() -> {
                TaskGroup<String> group = new TaskGroup<>(1);
                group.spawn(() -> {
                  held.acquireUninterruptibly();
                  return "";
                });
                group.close();
                settle();
                Heddle.shutdown(Duration.ofMillis(1));
                group.awaitCompletion();
              }));
      held.release();
      assertThat(thrown).isInstanceOf(Cancellation.class);
      assertThat(reports.failures()).noneMatch(IllegalStateException.class::isInstance);
    }
  }

  @Test
  void group_ofAnotherLoop_isRefused() {
    TaskGroup<String> foreign = Heddle.run(() -> new TaskGroup<String>("theirs", 1));
    Heddle.run(() -> {
      assertThatThrownBy(() -> foreign.spawn(() -> ""))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the task group 'theirs' belongs to another loop");
      assertThatThrownBy(foreign::race).hasMessageContaining("belongs to another loop");
    });
  }
}
