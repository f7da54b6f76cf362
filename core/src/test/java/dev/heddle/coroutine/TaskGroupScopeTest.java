// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Outcomes.Outcome;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a group of tasks is to the scope in which it was created: a part of it while tasks run, and
/// nothing afterwards. And what a race does to spawners that wait.
@Timeout(300)
class TaskGroupScopeTest extends GroupTasks {
  /// A group whose only task has ended; nothing else refers to it.
  private static WeakReference<TaskGroup<String>> ended(boolean failed) {
    TaskGroup<String> group = new TaskGroup<>("request", 2);
    group.spawn(() -> failed ? fail("unread") : "result");
    settle();
    assertThat(group.isDone()).isTrue();
    return new WeakReference<>(group);
  }

  // ---- what a group that is never closed leaves ----

  @Test
  void group_withoutTasks_isNoPartOfItsScope() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      assertThat(Scope.current().children()).isEmpty();
      Promise<String> gate = new Promise<>();
      for (int round = 0; round < 3; round++) {
        group.spawn(round == 0 ? gate.future()::await : () -> "again");
        assertThat(Scope.current().children()).hasSize(1);
        var _ = gate.tryComplete("open");
        assertThat(group.joinAll()).hasSize(1);
        settle();
        assertThat(Scope.current().children()).isEmpty();
        assertThat(group.isClosed()).isFalse();
      }
    });
  }

  @Test
  void group_thatIsNeverClosed_isGarbage_thoughItsScopeLivesOn() {
    Heddle.run(() -> {
      WeakReference<TaskGroup<String>> group = ended(false);
      assertThat(Scope.current().children()).isEmpty();
      WeakReference<Object> other = new WeakReference<>(new Object());
      while (other.get() != null) {
        System.gc();
        Heddle.yieldNow();
      }
      assertThat(group.get()).isNull();
    });
  }

  @Test
  @Tag("trap-18")
  void failure_ofAGroupThatIsNeverClosed_isReportedWhileItsScopeLivesOn() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        var _ = ended(true);
        for (int i = 0; i < 20 && ofTheGroup(reports).isEmpty(); i++) {
          awaitReportOfAnother(reports, "other " + i); // a collection, and all its reports
        }
        assertThat(ofTheGroup(reports)).hasSize(1);
      });
      assertThat(ofTheGroup(reports)).hasSize(1);
    }
  }

  private static List<String> ofTheGroup(Reports reports) {
    return reports.messages().stream()
        .filter(message -> message.contains("unobserved failure of the future 'request[0]'"))
        .toList();
  }

  private static void awaitReportOfAnother(Reports reports, String message) {
    IllegalStateException other = new IllegalStateException(message);
    drop(other);
    while (!reports.failures().contains(other)) {
      System.gc();
      Heddle.delay(Duration.ofMillis(1));
    }
  }

  private static void drop(Throwable failure) {
    new Promise<String>().fail(failure);
  }

  @Test
  void waits_andBoundedWaits_ofAnIdleGroup_leaveNothingInItsScope() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      Coroutine<?> reader =
          Heddle.spawn(() -> {
            for (Outcome<Object, String> outcome : group) {
              log.add(outcome.result());
            }
          });
      settle();
      assertThat(Scope.current().children()).hasSize(1);
      group.spawn(() -> "first");
      settle();
      assertThat(log).containsExactly("first");
      reader.cancel("enough");
      settle();
      assertThat(Scope.current().children()).isEmpty();
      assertThatThrownBy(() -> group.awaitCompletion(Deadline.after(Duration.ofNanos(1))))
          .isInstanceOf(IllegalStateException.class);
      assertThat(Scope.current().children()).isEmpty();
    });
  }

  @Test
  void completionHandler_isPartOfTheScope_untilTheGroupIsClosed() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.onCompletion(done -> log.add("complete with " + done.size()));
      group.spawn(() -> "result");
      settle();
      assertThat(Scope.current().children()).hasSize(1);
      group.close();
      settle();
      assertThat(log).containsExactly("complete with 1");
      assertThat(Scope.current().children()).isEmpty();
      assertThatThrownBy(() ->
              group.onCompletion(_ -> {
                throw new java.io.IOException("handler");
              }))
          .hasCauseInstanceOf(java.io.IOException.class);
    });
  }

  @Test
  void tryWithResources_closesTheGroup_andTheScopeWaitsForItsTasks() {
    Heddle.run(() -> {
      Heddle.scope(() -> {
        try (TaskGroup<Object> group = new TaskGroup<>()) {
          group.spawn(() -> {
            settle();
            return log.add("task");
          });
          group.onCompletion(done -> log.add(done.isClosed()));
        }
        log.add("body");
      });
      assertThat(log).containsExactly("body", "task", true);
    });
  }

  // ---- the end of the scope ----

  @Test
  void scopeThatEnds_closesTheGroup() {
    Heddle.run(() -> {
      ScopeBody<TaskGroup<String>> body = _ -> new TaskGroup<>("inner", 1);
      TaskGroup<String> group = Heddle.scope(body);
      assertThat(group.isClosed()).isTrue();
      assertThat(group.info()).endsWith(", closed");
      assertThat(group.iterator().hasNext()).isFalse();
      group.awaitCompletion();
      group.onCompletion(_ -> log.add("handler"));
      assertThat(log).containsExactly("handler");
      assertThatThrownBy(() -> group.spawn(() -> "late"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed scope");
      assertThat(group.size()).isZero();
    });
  }

  @Test
  void scopeThatEnds_endsALoopOverTheOutcomes() {
    Heddle.run(() -> {
      Scope session = Scope.current().child();
      Promise<TaskGroup<String>> made = new Promise<>();
      session.spawn(() -> made.complete(new TaskGroup<>()));
      TaskGroup<String> group = made.future().await();
      Coroutine<?> reader = Heddle.spawn(() -> group.forEach(outcome -> log.add(outcome.result())));
      settle();
      session.close();
      reader.await(); // a loop that is not told is a deadlock
      assertThat(group.isClosed()).isTrue();
    });
  }

  @Test
  void scopeThatIsCancelled_closesTheGroup_andASpawnerThatIsCancelledIsTold() {
    Heddle.run(() -> {
      Throwable[] thrown = new Throwable[2];
      Scope session = Scope.current().child();
      session.spawn(() -> {
        TaskGroup<String> group = new TaskGroup<>();
        group.spawn(() -> Heddle.<String>promise().future().await());
        settle();
        session.cancel("the session is over");
        thrown[0] = catchThrowable(Heddle::yieldNow);
        thrown[1] = catchThrowable(() -> group.spawn(() -> "late"));
        assertThat(group.size()).isEqualTo(1);
      });
      session.join(Deadline.never());
      assertThat(thrown[0]).isInstanceOf(Cancellation.class);
      assertThat(thrown[1]).isInstanceOfAny(Cancellation.class, IllegalStateException.class);
    });
  }

  @Test
  void coroutinesThatATaskStarted_runOn_whenNoTaskIsLeft() {
    Heddle.run(() -> {
      Heddle.scope(() -> {
        TaskGroup<String> group = new TaskGroup<>();
        group.spawn(() -> {
          Heddle.launch(
              "stray",
              () -> {
                settle();
                log.add("stray");
              });
          Scope.current().background("heartbeat", Heddle.<String>promise().future()::await);
          return "task";
        });
        assertThat(group.all()).containsExactly("task");
        group.spawn(() -> "next");
        log.add(group.joinAll());
      });
      assertThat(log).containsExactly(List.of("task", "next"), "stray");
      assertThat(Scope.current().children()).isEmpty();
    });
  }

  @Test
  void backgroundOfATask_endsWithTheLastTask() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>();
      group.spawn(() -> {
        Scope.current()
            .background(
                "heartbeat",
                () -> {
                  try {
                    Heddle.promise().future().await();
                  } finally {
                    log.add("heartbeat ended");
                  }
                });
        settle();
        return "task";
      });
      assertThat(group.all()).containsExactly("task");
      settle();
      assertThat(log).containsExactly("heartbeat ended");
      assertThat(Scope.current().children()).isEmpty();
    });
  }

  // ---- races, and spawners that wait ----

  @Test
  void race_thatIsWon_cancelsTheTasksWhoseSpawnersWait() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        TaskGroup<String> group = new TaskGroup<>("mirrors", 1);
        Promise<String> gate = new Promise<>();
        group.spawn("first", gate.future()::await);
        List<Coroutine<Future<String>>> spawners = new ArrayList<>();
        for (String other : List.of("second", "third")) {
          spawners.add(
              Heddle.spawn(() ->
                  group.spawn(
                      other,
                      () -> {
                        log.add(other);
                        settle();
                        return other;
                      })));
        }
        settle();
        assertThat(group.waiting()).isEqualTo(2);
        Heddle.launch("opener", () -> gate.complete("first"));
        assertThat(group.race()).isEqualTo("first");
        settle();
        for (Coroutine<Future<String>> spawner : spawners) {
          assertThat(spawner.await().isCancelled()).isTrue();
        }
        assertThat(group.isDone()).isTrue();
        assertThat(group.waiting()).isZero();
        assertThat(group.outcomes().failures().get("third"))
            .isInstanceOf(Cancellation.class)
            .hasMessage("another task of the group was first");
        assertThat(group.race()).isEqualTo("first");
        assertThat(group.size()).isEqualTo(3);
        assertThat(group.joinAny()).isEqualTo("first");
        group.spawn("later", () -> "later");
        assertThat(group.joinAny()).isEqualTo("later");
      });
      assertThat(log).doesNotContain("third");
      assertThat(reports.messages()).isEmpty();
    }
  }

  @Test
  @Tag("trap-1")
  void spawnerThatLosesARaceWithItsSlot_handsTheSlotOn() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(1);
      Promise<String> gate = new Promise<>();
      group.spawn("first", gate.future()::await);
      Coroutine<Future<String>> second = Heddle.spawn(() -> group.spawn("second", () -> "second"));
      settle();
      gate.complete("first");
      Heddle.yieldNow(); // the first ends, and the second's spawner has not run with its slot
      assertThat(group.running()).isEqualTo(1);
      assertThat(group.waiting()).isZero();
      assertThat(group.race()).isEqualTo("first");
      assertThat(second.await().isCancelled()).isTrue();
      assertThat(group.running()).isZero();
      assertThat(group.trySpawn("third", () -> "third")).isNotNull();
    });
  }

  @Test
  void spawnerThatIsCancelledAsItLosesARace_leavesNoTask() {
    Heddle.run(() -> {
      TaskGroup<String> group = new TaskGroup<>(1);
      group.spawn("done", () -> "done");
      settle();
      group.spawn("held", () -> Heddle.<String>promise().future().await());
      Coroutine<Future<String>> spawner = Heddle.spawn(() -> group.spawn("late", () -> "late"));
      settle();
      assertThat(group.race()).isEqualTo("done");
      spawner.cancel("leave");
      assertThatThrownBy(spawner::await).isInstanceOf(Cancellation.class).hasMessage("leave");
      settle();
      assertThat(group.size()).isEqualTo(2);
      assertThat(group.isDone()).isTrue();
    });
  }

  // ---- fairness ----

  @Test
  void joinersOfWhatIsReady_letOthersRun() {
    Heddle.run(() -> {
      TaskGroup<Integer> group = new TaskGroup<>();
      for (int i = 0; i < 200; i++) {
        int number = i;
        group.spawn(() -> number);
      }
      settle();
      Coroutine<?> other = Heddle.spawn(() -> log.add("other"));
      for (int i = 0; i < 100; i++) {
        group.joinNext();
      }
      assertThat(other.isDone()).isTrue();
      Coroutine<?> further = Heddle.spawn(() -> log.add("further"));
      for (int i = 0; i < 100; i++) {
        group.joinAny();
      }
      assertThat(further.isDone()).isTrue();
    });
  }
}
