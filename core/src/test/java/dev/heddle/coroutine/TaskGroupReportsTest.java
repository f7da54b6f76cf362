// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.event.Future;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a group reports: failures that nobody read, and who holds the slots in a deadlock.
@Timeout(300)
class TaskGroupReportsTest extends GroupTasks {
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
}
