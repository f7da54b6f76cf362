// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Test classes with `@HeddleTest`, run by JUnit, and what it reports of them.
@Timeout(300)
class HeddleTestTest {
  /// An invocation and its result.
  private record Reported(String name, TestExecutionResult result) {
    boolean isFailed() {
      return result.getStatus() == TestExecutionResult.Status.FAILED;
    }

    Throwable failure() {
      return result.getThrowable().orElseThrow();
    }
  }

  private final List<Reported> reported = new ArrayList<>();
  private final Map<String, String> entries = new HashMap<>();

  @BeforeEach
  void forget() {
    TestClasses.seen.clear();
  }

  private void run(Class<?> tests) {
    run(tests, Map.of());
  }

  private void run(Class<?> tests, Map<String, String> configuration) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(tests))
            .configurationParameters(configuration)
            .build();
    LauncherFactory.create()
        .execute(
            request,
            new TestExecutionListener() {
              @Override
              public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
                entries.putAll(entry.getKeyValuePairs());
              }

              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest() || result.getThrowable().isPresent()) {
                  reported.add(new Reported(test.getDisplayName(), result));
                }
              }
            });
  }

  @Test
  @Tag("sim-7")
  void body_isTheMainCoroutineInVirtualTime_onceForEachSeed() {
    run(TestClasses.Virtual.class);
    assertThat(reported).hasSize(3).noneMatch(Reported::isFailed);
    assertThat(reported).extracting(Reported::name).containsExactly("seed 5", "seed 6", "seed 7");
    assertThat(TestClasses.seen).containsExactly("PT24H", "PT24H", "PT24H");
  }

  @Test
  @Tag("sim-7")
  void lifecycleMethods_runInTheSimulationOfTheirTest() {
    run(TestClasses.Lifecycle.class);
    assertThat(reported).hasSize(1).noneMatch(Reported::isFailed);
    assertThat(TestClasses.seen)
        .containsExactly("before main", "test main lifecycle(TestInfo)", "after main PT3H");
  }

  @Test
  @Tag("sim-7")
  void failingSeed_isReportedWithItsReplay_shrunk() {
    run(TestClasses.LostUpdate.class);
    List<Reported> failed = reported.stream().filter(Reported::isFailed).toList();
    assertThat(failed).isNotEmpty();
    Throwable first = failed.getFirst().failure();
    assertThat(first)
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("an update was lost")
        .hasMessageContaining("./heddle test --seed ")
        .hasMessageContaining("'TestClasses$LostUpdate#losesAnUpdate'")
        .hasMessageContaining("runs that shrank them");
  }

  @Test
  @Tag("sim-4")
  void schedule_replaysAFailure() {
    run(TestClasses.Replayed.class);
    assertThat(reported).hasSize(1).allMatch(Reported::isFailed);
    assertThat(reported.getFirst().failure()).hasMessageContaining("an update was lost");
  }

  @Test
  @Tag("sim-21")
  void exhaustive_runsEachScheduleOnce() {
    run(TestClasses.Exhaustive.class);
    assertThat(reported).noneMatch(Reported::isFailed);
    assertThat(TestClasses.seen).doesNotHaveDuplicates();
    assertThat(TestClasses.seen).hasSize(24);
    assertThat(entries).containsEntry("schedules", "all 24 schedules were run");
  }

  @Test
  void exhaustive_thatStopsAtItsBound_saysThatItIsNotComplete() {
    run(TestClasses.ExhaustiveWithABound.class);
    assertThat(reported).hasSize(5).noneMatch(Reported::isFailed);
    assertThat(entries).containsEntry("schedules", "5 schedules were run, and there may be more");
  }

  @Test
  void emptySchedule_runsOnce_theOldestFirst() {
    run(TestClasses.EmptySchedule.class);
    assertThat(reported).hasSize(1).noneMatch(Reported::isFailed);
    assertThat(TestClasses.seen).containsExactly("[0, 1, 2, 3]");
  }

  @Test
  void optionsWithoutEffect_areRefusedByName() {
    run(TestClasses.WithoutEffect.class);
    assertThat(reported)
        .extracting(failed -> String.valueOf(failed.failure().getMessage()))
        .containsExactlyInAnyOrder(
            "@HeddleTest on WithoutEffect#realTime: agent, depth, schedule, seed, seeds, strategy"
                + " has no effect with time = REAL: it runs once, on an ordinary loop; remove it",
            "@HeddleTest on WithoutEffect#depthOfARandomWalk: depth has no effect without strategy"
                + " = PCT; remove it",
            "@HeddleTest on WithoutEffect#seedsOfFifo: seeds has no effect with strategy = FIFO:"
                + " it runs once; remove it",
            "@HeddleTest on WithoutEffect#preemptionsOfARandomWalk: preemptions has no effect"
                + " without strategy = EXHAUSTIVE; remove it",
            "@HeddleTest on WithoutEffect#stallsOfAll: stalls has no effect with strategy ="
                + " EXHAUSTIVE, which does not enumerate them; remove it");
  }

  @Test
  void testsInConcurrentMode_runOneAtATime() {
    run(
        TestClasses.Concurrent.class,
        Map.of(
            "junit.jupiter.execution.parallel.enabled", "true",
            "junit.jupiter.execution.parallel.mode.default", "concurrent",
            "junit.jupiter.execution.parallel.config.strategy", "fixed",
            "junit.jupiter.execution.parallel.config.fixed.parallelism", "4"));
    assertThat(reported).hasSize(22).noneMatch(Reported::isFailed);
    assertThat(TestClasses.seen).hasSize(22).containsOnly("running: 1");
  }

  @Test
  @Tag("sim-5")
  void deadlock_failsWithTheReport() {
    run(TestClasses.Deadlock.class);
    assertThat(reported).hasSize(1).allMatch(Reported::isFailed);
    assertThat(reported.getFirst().failure())
        .hasMessageContaining("Deadlock")
        .hasMessageContaining("the missing reply");
  }

  @Test
  @Tag("sim-5")
  void failureOfABackgroundCoroutine_failsTheTest() {
    run(TestClasses.FailingChild.class);
    assertThat(reported).hasSize(1).allMatch(Reported::isFailed);
    assertThat(reported.getFirst().failure()).hasMessageContaining("the child failed");
  }

  @Test
  void assumption_abortsTheTest() {
    run(TestClasses.Assumption.class);
    assertThat(reported)
        .extracting(r -> r.result().getStatus())
        .containsExactly(TestExecutionResult.Status.ABORTED);
  }

  @Test
  void timeout_showsWhereEverybodyWaits() {
    run(TestClasses.Late.class);
    assertThat(reported).hasSize(1).allMatch(Reported::isFailed);
    Throwable failure = reported.getFirst().failure();
    assertThat(failure).hasStackTraceContaining("the reply of nobody");
  }

  @Test
  void testThatWasTimedOut_isNotRunAgainForAShorterSchedule() {
    run(TestClasses.Endless.class);
    assertThat(reported).hasSize(1).allMatch(Reported::isFailed);
    // none where the time-out came before the test began
    assertThat(TestClasses.seen).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void realTime_runsOnceOnAnOrdinaryLoop() {
    run(TestClasses.RealTime.class);
    assertThat(reported).hasSize(1).noneMatch(Reported::isFailed);
    assertThat(reported.getFirst().name()).isEqualTo("real time");
    assertThat(TestClasses.seen).containsExactly("before main", "after main");
  }

  @Test
  void realTime_interruptedByATimeout_stopsTheLoop() {
    run(TestClasses.LateInRealTime.class);
    assertThat(reported).hasSize(1).allMatch(Reported::isFailed);
  }
}
