// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.event.source.InlineCallback;
import dev.heddle.reactor.TimerEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("T6")
@Tag("once")
@Timeout(300)
class MicrotaskTest {
  private static final int BUDGET = 1_024;

  private final QuietOwner owner = new QuietOwner();
  private final StillDriver driver = new StillDriver();
  private final Scheduler scheduler = new Scheduler(owner, SchedulerParts.usual(driver), true);
  private final List<String> log = new ArrayList<>();

  private final class Task extends Microtask {
    private final String name;
    private final Runnable work;

    Task(String name, Runnable work) {
      this.name = name;
      this.work = work;
    }

    @Override
    protected void run() {
      log.add(name);
      work.run();
    }

    @Override
    protected void destroy() {
      log.add(name + " destroyed");
    }
  }

  private Task task(String name) {
    return new Task(name, () -> {});
  }

  private static Runnable failing(RuntimeException failure) {
    return () -> {
      throw failure;
    };
  }

  private void spawn(String name, Runnable body) {
    new Sleeper(
            scheduler,
            name,
            () -> {
              log.add(name);
              body.run();
            })
        .enqueue();
  }

  // ---- when it runs ----

  @Test
  void microtasks_runInOrderBeforeTheNextCoroutine() {
    spawn("coroutine", scheduler::finish);
    scheduler.post(task("a"));
    scheduler.post(task("b"));
    scheduler.run();
    assertThat(log).containsExactly("a", "a destroyed", "b", "b destroyed", "coroutine");
  }

  @Test
  @Tag("T5")
  void microtask_postedByACoroutine_runsBeforeTheNextOne() {
    spawn("first", () -> scheduler.post(task("task")));
    spawn("second", scheduler::finish);
    scheduler.run();
    assertThat(log).containsExactly("first", "task", "task destroyed", "second");
  }

  @Test
  @Tag("T2")
  @Tag("T5")
  void microtask_postedByOneThatSuspends_runsOnItsStackBeforeTheNextOne() {
    List<Thread> threads = new ArrayList<>();
    Sleeper[] self = new Sleeper[1];
    self[0] =
        new Sleeper(
            scheduler,
            "suspending",
            () -> {
              threads.add(Thread.currentThread());
              scheduler.post(new Task("task", () -> threads.add(Thread.currentThread())));
              scheduler.yieldFrom(self[0]);
              log.add("resumed");
            });
    self[0].enqueue();
    spawn("next", () -> {});
    scheduler.post(task("before"));
    spawn("last", scheduler::finish);
    scheduler.run();
    assertThat(log.subList(2, 4)).containsExactly("task", "task destroyed");
    assertThat(threads).hasSize(2);
    assertThat(threads.get(1)).isSameAs(threads.get(0));
  }

  @Test
  void microtask_thatPostsItselfForEver_leavesTheLoopToOthersAfterTheBudget() {
    Task[] greedy = new Task[1];
    greedy[0] = new Task("greedy", () -> scheduler.post(greedy[0]));
    scheduler.post(greedy[0]);
    spawn("coroutine", scheduler::finish);
    scheduler.run();
    assertThat(log.indexOf("coroutine")).isEqualTo(BUDGET);
  }

  @Test
  void microtasksBeyondTheBudget_runAlthoughNoCoroutineIsReady() {
    for (int i = 0; i < 2 * BUDGET; i++) {
      scheduler.post(new Task("task", () -> {}));
    }
    scheduler.post(new Task("last", scheduler::finish));
    scheduler.run(); // else the owner hears that nothing can go on
    assertThat(log).endsWith("last", "last destroyed").hasSize(2 * (2 * BUDGET + 1));
  }

  @Test
  void microtask_thatPostsItselfForEver_leavesTimeAndReactorTheirTurn() {
    int[] looks = new int[1];
    driver.onLook = () -> looks[0]++;
    Task[] greedy = new Task[1];
    greedy[0] = new Task("", () -> scheduler.post(greedy[0]));
    scheduler.post(greedy[0]);
    TimerEvent timer =
        new TimerEvent(scheduler, scheduler.timers(), System.nanoTime() + 1_000_000, false);
    InlineCallback whenDue = (event, result, error) -> scheduler.finish();
    timer.subscribe(whenDue);
    timer.start();
    scheduler.run();
    assertThat(timer.isClosed()).isTrue();
    assertThat(looks[0]).isPositive();
  }

  // ---- failure ----

  @Test
  void microtask_thatThrows_isReportedAndTheRestRunsInTheNextTick() {
    IllegalStateException failure = new IllegalStateException("broken task");
    scheduler.post(new Task("broken", failing(failure)));
    scheduler.post(task("rest"));
    spawn("first", () -> {});
    spawn("second", scheduler::finish);
    scheduler.run();
    assertThat(owner.failures).containsExactly(failure);
    assertThat(log)
        .containsExactly("broken", "broken destroyed", "first", "rest", "rest destroyed", "second");
  }

  @Test
  void microtasksBehindOneThatThrows_runAlthoughNoCoroutineIsReady() {
    scheduler.post(new Task("broken", failing(new IllegalStateException("broken task"))));
    scheduler.post(new Task("rest", scheduler::finish));
    scheduler.run();
    assertThat(log).containsExactly("broken", "broken destroyed", "rest", "rest destroyed");
  }

  // ---- cancelled flag, references, destructor ----

  @Test
  void microtask_thatIsCancelledInTheQueue_doesNotRunAndIsDestroyed() {
    Task cancelled = task("cancelled");
    scheduler.post(cancelled);
    scheduler.post(task("other"));
    cancelled.cancel();
    spawn("coroutine", scheduler::finish);
    scheduler.run();
    assertThat(cancelled.isCancelled()).isTrue();
    assertThat(log).containsExactly("cancelled destroyed", "other", "other destroyed", "coroutine");
  }

  @Test
  void microtask_thatItsMakerRetains_isDestroyedWithTheLastReference() {
    Task kept = task("kept");
    kept.retain();
    scheduler.post(kept);
    scheduler.post(kept);
    spawn("coroutine", scheduler::finish);
    scheduler.run();
    assertThat(log).containsExactly("kept", "kept", "coroutine");
    kept.release();
    assertThat(log).endsWith("kept destroyed");
  }

  @Test
  void microtask_thatIsDestroyed_isRefused() {
    Task task = task("task");
    task.retain();
    task.release();
    assertThatThrownBy(task::release).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> scheduler.post(task)).isInstanceOf(IllegalStateException.class);
    assertThat(log).containsExactly("task destroyed");
  }

  @Test
  void microtask_thatWasNeverRetained_cannotBeReleased() {
    Task task = task("task");
    assertThatThrownBy(task::release).hasMessageContaining("without having been retained");
    assertThat(log).isEmpty();
  }

  // ---- the end of the loop ----

  @Test
  @Tag("T18")
  void microtasks_thatNeverRan_areDestroyedOnceWhenTheLoopEnds() {
    Task kept = task("kept");
    kept.retain();
    scheduler.post(kept);
    scheduler.post(task("b"));
    scheduler.close();
    assertThat(log).containsExactly("b destroyed");
    kept.release();
    assertThat(log).containsExactly("b destroyed", "kept destroyed");
  }

  @Test
  @Tag("T18")
  void microtask_whoseDestructorThrows_doesNotKeepTheOthersFromTheirs() {
    IllegalStateException failure = new IllegalStateException("destructor");
    scheduler.post(
        new Microtask() {
          @Override
          protected void run() {}

          @Override
          protected void destroy() {
            throw failure;
          }
        });
    scheduler.post(task("b"));
    scheduler.close();
    assertThat(owner.failures).containsExactly(failure);
    assertThat(log).containsExactly("b destroyed");
  }

  @Test
  @Tag("T18")
  void microtask_thatRan_isNotDestroyedAgainWhenTheLoopEnds() {
    scheduler.post(task("a"));
    spawn("coroutine", scheduler::finish);
    scheduler.run();
    scheduler.close();
    assertThat(log).containsExactly("a", "a destroyed", "coroutine");
  }
}
