// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.sync.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The report that ends a loop in which nothing can go on, for each shape of a deadlock.
@Tag("T19")
@Timeout(300)
class DeadlockReportTest {
  private static DeadlockReport reportOf(Action main) {
    DeadlockError error = catchThrowableOfType(DeadlockError.class, () -> Heddle.run(main));
    assertThat(error).hasMessage(error.report().text());
    return error.report();
  }

  private static List<List<Long>> ids(DeadlockReport report) {
    return report.cycles().stream()
        .map(cycle -> cycle.stream().map(CoroutineSnapshot::id).toList())
        .toList();
  }

  private static void awaitEachOther() {
    Coroutine<?>[] pair = new Coroutine<?>[2];
    pair[0] = Heddle.spawn("left", () -> pair[1].await());
    pair[1] = Heddle.spawn("right", () -> pair[0].await());
  }

  @Test
  @Tag("loop-89")
  void twoThatAwaitEachOther_areACycleInWords() {
    DeadlockReport report = reportOf(DeadlockReportTest::awaitEachOther);
    assertThat(ids(report)).containsExactly(List.of(2L, 3L));
    assertThat(report.text().lines())
        .startsWith(
            "Deadlock: no active coroutines, 2 coroutines in waiting",
            "coroutine-2 'left' waits for coroutine-3 'right', which waits for coroutine-2 'left'");
  }

  @Test
  @Tag("loop-89")
  void everyCoroutine_isShownWithItsSpawnSiteItsWaitAndItsStack() {
    DeadlockReport report = reportOf(DeadlockReportTest::awaitEachOther);
    String here = DeadlockReportTest.class.getName();
    assertThat(report.text())
        .containsPattern("(?m)^coroutine-2 'left' waits for coroutine-3 'right' \\(\\d\\S* m?s\\)$")
        .containsPattern("(?m)^  spawned at " + here + "\\.awaitEachOther\\(\\S+:\\d+\\)$")
        .containsPattern("(?m)^  at " + here + "\\.lambda\\$awaitEachOther\\$\\d\\(\\S+:\\d+\\)$")
        .doesNotContain("dev.heddle.coroutine.tree", "dev.heddle.scheduler");
    CoroutineSnapshot left = report.dump().coroutines().getFirst();
    assertThat(left.waits())
        .containsExactly(new WaitSnapshot("coroutine-3 'right'", false, true, List.of(3L)));
    assertThat(left.suspendSite()).startsWith(here + ".lambda$awaitEachOther$");
  }

  @Test
  @Tag("loop-90")
  @Tag("loop-92")
  void cancellation_thatResolvesTheDeadlock_carriesTheSameReport() {
    List<Throwable> causes = new ArrayList<>();
    DeadlockReport report =
        reportOf(() -> {
          Coroutine<?>[] other = new Coroutine<?>[1];
          Coroutine<?> main = Heddle.current();
          other[0] = Heddle.spawn(() -> main.await());
          try {
            other[0].await();
          } catch (Cancellation c) {
            causes.add(c.getCause().getCause()); // behind the one that all of them repeat
          }
        });
    assertThat(causes).hasSize(1);
    assertThat(((DeadlockError) causes.getFirst()).report()).isSameAs(report);
    assertThat(ids(report)).containsExactly(List.of(1L, 2L));
  }

  @Test
  void scope_awaitedFromInside_isACycleThroughTheScope() {
    DeadlockReport report =
        reportOf(() -> {
          Coroutine<?> main = Heddle.current();
          Heddle.scope(s -> {
            s.spawn("inside", () -> main.await());
            s.spawn("beside", () -> main.await());
            return null;
          });
        });
    assertThat(report.text())
        .contains(
            "coroutine-1 'main' waits for the 2 members of its scope, among them coroutine-2"
                + " 'inside', which waits for coroutine-1 'main'\n")
        .contains(
            "coroutine-1 'main' waits for the 2 members of its scope: coroutine-2 'inside',"
                + " coroutine-3 'beside'");
    assertThat(ids(report)).containsExactly(List.of(1L, 2L));
  }

  @Test
  void mutexes_takenInOppositeOrder_areNamedWithTheirHolders() {
    DeadlockReport report =
        reportOf(() -> {
          Mutex left = new Mutex("left");
          Mutex right = new Mutex("right");
          Heddle.launch("one", () -> takeBoth(left, right));
          Heddle.launch("two", () -> takeBoth(right, left));
        });
    assertThat(report.text().lines())
        .contains(
            "coroutine-2 'one' waits for the mutex 'right', held by coroutine-3 'two', which waits"
                + " for the mutex 'left', held by coroutine-2 'one'");
    assertThat(report.text())
        .containsOnlyOnce("'one' waits for the mutex 'right', held by coroutine-3 'two' (");
  }

  private static void takeBoth(Mutex first, Mutex second) {
    first.withLock(() -> {
      Heddle.yieldNow();
      second.withLock(() -> {});
    });
  }

  /// Something that somebody should complete.
  private static final class Letter extends EventSource {
    Letter() {
      super(CoroutineNode.current().scheduler());
    }

    @Override
    public String info() {
      return "a letter";
    }
  }

  @Test
  void promise_thatIsNotCompleted_isNoCycleAndHasNoHolder() {
    DeadlockReport report =
        reportOf(() -> {
          Letter letter = new Letter();
          Heddle.launch("reader", () -> Heddle.await(letter));
        });
    assertThat(report.cycles()).isEmpty();
    assertThat(report.text().lines())
        .startsWith("Deadlock: no active coroutines, 1 coroutine in waiting", "")
        .anyMatch(
            line -> line.matches("coroutine-2 'reader' waits for a letter \\(\\d\\S* m?s\\)"));
  }

  @Test
  @Tag("trap-11")
  void daemonTimer_thatAllWaitFor_isNamedAndDoesNotPreventTheDeadlock() {
    DeadlockReport report = reportOf(() -> Heddle.await(Heddle.daemonTimer(Duration.ofHours(1))));
    assertThat(report.text()).contains("coroutine-1 'main' waits for a daemon timer, due in 35");
  }

  @Test
  void moreThanAThousand_areAllKnownAndTheFirstThousandListedWithTheirStacks() {
    int many = 1_500;
    DeadlockReport report =
        reportOf(() -> {
          for (int i = 2; i < many; i++) {
            Letter own = new Letter();
            Heddle.launch("reader-" + i, () -> Heddle.await(own));
          }
          awaitEachOther();
        });
    List<CoroutineSnapshot> all = report.dump().coroutines();
    assertThat(all).hasSize(many).allSatisfy(c -> assertThat(c.waits()).hasSize(1));
    assertThat(all.subList(0, 1_000)).noneMatch(c -> c.stack().isEmpty());
    assertThat(all.subList(1_000, many)).allMatch(c -> c.stack().isEmpty());
    assertThat(ids(report)).containsExactly(List.of(1_500L, 1_501L));
    assertThat(report.text().lines())
        .startsWith(
            "Deadlock: no active coroutines, 1,500 coroutines in waiting",
            "coroutine-1500 'left' waits for coroutine-1501 'right', which waits for"
                + " coroutine-1500 'left'")
        .endsWith("and 500 more, without their stacks");
  }

  @Test
  void scopesOfCoroutinesBeyondTheFirstThousand_areNotListed() {
    DeadlockReport report =
        reportOf(() -> {
          for (int i = 0; i < 1_200; i++) {
            Heddle.launch(
                "owner-" + i, () -> Heddle.scope(s -> s.spawn(() -> Heddle.await(new Letter()))));
          }
        });
    assertThat(report.dump().coroutines()).hasSize(2_400);
    assertThat(report.dump().scopes()).hasSize(1_201);
    assertThat(report.text())
        .doesNotContain("with 0 members")
        .doesNotContain("'owner-1000' waits")
        .endsWith("and 1,400 more, without their stacks\n");
  }

  @Test
  void event_whoseInfoThrows_doesNotSpoilTheReport() {
    DeadlockReport report =
        reportOf(() -> {
          EventSource broken =
              new EventSource(CoroutineNode.current().scheduler()) {
                @Override
                public String info() {
                  throw new IllegalStateException("broken");
                }
              };
          Heddle.await(broken);
        });
    assertThat(report.text()).contains("whose info() threw java.lang.IllegalStateException");
  }

  @Test
  void listener_thatFailsWithAnError_isReportedAndTheDeadlockIsThrown() {
    AssertionError broken = new AssertionError("listener");
    HeddleOptions failing =
        HeddleOptions.defaults()
            .withReports(_ -> {
              throw broken;
            });
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(failing, () -> Heddle.await(Heddle.daemonTimer(Duration.ofHours(1)))))
          .isInstanceOf(DeadlockError.class);
      assertThat(reports.failures()).containsExactly(broken);
    }
  }
}
