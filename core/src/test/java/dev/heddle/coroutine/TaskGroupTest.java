// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How a group takes tasks, and how it ends. [TaskGroupWaitsTest] waits for tasks,
/// [TaskGroupReportsTest] has the failures that nobody reads.
@Timeout(300)
class TaskGroupTest extends GroupTasks {
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
          .hasMessage(
              "the task group 'pages' was closed by coroutine-1 'main'; spawn before that, or"
                  + " create another group");
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
      assertThat(group.isDone()).isTrue();
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

  // ---- state ----

  @Test
  @Tag("loop-208")
  void newGroup_isDoneAndOpen_andAfterASpawnNeither() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>("pages", 3);
      assertThat(group.isDone()).isTrue();
      assertThat(group.isClosed()).isFalse();
      group.spawn(() -> "done");
      assertThat(group.isDone()).isFalse();
      assertThat(group.isClosed()).isFalse();
      assertThat(group)
          .hasToString("the task group 'pages' with 1 of 3 running, 0 ended, 0 waiting");
      group.all();
    });
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
