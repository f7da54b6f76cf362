// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.scheduler.context.ExecutionContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("T6")
@Tag("once")
@Timeout(60)
class MicrotaskTest {
  private final QuietOwner owner = new QuietOwner();
  private final Scheduler scheduler = new Scheduler(owner, new StillDriver(), true);
  private final List<String> log = new ArrayList<>();

  private Microtask task(String name, Runnable work) {
    return new Microtask() {
      @Override
      public void run() {
        log.add(name);
        work.run();
      }

      @Override
      public void release() {
        log.add("released " + name);
      }
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

  @Test
  void microtasks_runInOrderBeforeTheNextCoroutine() {
    spawn("coroutine", scheduler::finish);
    scheduler.post(task("a", () -> {}));
    scheduler.post(task("b", () -> {}));
    scheduler.run();
    assertThat(log).containsExactly("a", "b", "coroutine");
  }

  @Test
  @Tag("T5")
  void microtask_postedByACoroutine_runsBeforeTheNextOne() {
    spawn("first", () -> scheduler.post(task("task", () -> {})));
    spawn("second", scheduler::finish);
    scheduler.run();
    assertThat(log).containsExactly("first", "task", "second");
  }

  @Test
  @Tag("T2")
  void tick_ofASuspension_runsOnTheSuspendingCoroutinesStack() {
    List<Thread> threads = new ArrayList<>();
    spawn(
        "first",
        () -> {
          threads.add(Thread.currentThread());
          scheduler.post(task("task", () -> threads.add(Thread.currentThread())));
          Waker self = (Waker) ExecutionContext.current().guest();
          scheduler.yieldFrom(self);
        });
    spawn("second", scheduler::finish);
    scheduler.run();
    assertThat(log).containsExactly("first", "task", "second");
    assertThat(threads).hasSize(2).containsOnly(threads.getFirst());
  }

  @Test
  void microtask_thatThrows_isReportedAndTheRestRunsInTheNextTick() {
    IllegalStateException failure = new IllegalStateException("broken task");
    scheduler.post(
        task(
            "broken",
            () -> {
              throw failure;
            }));
    scheduler.post(task("rest", () -> {}));
    spawn("first", () -> {});
    spawn("second", scheduler::finish);
    scheduler.run();
    assertThat(owner.failures).containsExactly(failure);
    assertThat(log).containsExactly("broken", "first", "rest", "second");
  }

  @Test
  void microtask_thatNeverRan_isReleasedOnceWhenTheLoopEnds() {
    scheduler.post(task("a", () -> {}));
    scheduler.post(task("b", () -> {}));
    scheduler.close();
    assertThat(log).containsExactly("released a", "released b");
  }

  @Test
  void microtask_thatRan_isNotReleased() {
    scheduler.post(task("a", () -> {}));
    spawn("coroutine", scheduler::finish);
    scheduler.run();
    scheduler.close();
    assertThat(log).containsExactly("a", "coroutine");
  }
}
