// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.CompositeException;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Outcomes.Outcome;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How the tasks of a group are waited for: for all, for the first, in a loop, and by joins.
@Timeout(300)
class TaskGroupWaitsTest extends GroupTasks {
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
    // the exception is that of Await.raceOrFail without awaitables, and of an empty collection
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
    VirtualTime.run(() -> {
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
}
