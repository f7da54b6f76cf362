// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Body;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.scheduler.ReadyPicker;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Who looks at a JVM sees its loops, but for those whose picker decides everything: a look would
/// change their course.
@Tag("sim-1")
@Timeout(300)
class UnobservedLoopTest {
  private final CountDownLatch reported = new CountDownLatch(1);

  private <T> T run(String name, Births births, Body<T> main) {
    VirtualClock clock = new VirtualClock();
    SchedulerParts parts =
        new SchedulerParts(
            new VirtualDriver(clock, () -> ""), clock, ReadyPicker.FIFO, null, births);
    HeddleOptions options =
        HeddleOptions.defaults().withName(name).withReports(_ -> reported.countDown());
    return LoopRuntime.run(options, parts, main, _ -> {});
  }

  private static boolean sees(String field, String value) {
    return Attachables.all().stream()
        .map(Attachable::summary)
        .anyMatch(shown -> value.equals(shown.get(field)));
  }

  @ParameterizedTest
  @EnumSource
  void loop_isSeenWhileItRuns_unlessItRunsItsThreads(Births births) {
    boolean seen = run("looked at", births, () -> sees("name", "looked at"));
    assertThat(seen).isEqualTo(births == Births.ON_JDK);
  }

  @Test
  void deadlockOfALoopThatRunsItsThreads_isReportedToTheProgram_andToNobodyElse()
      throws InterruptedException {
    Body<Object> never =
        () -> {
          Coroutine<?>[] pair = new Coroutine<?>[2];
          pair[0] = Heddle.spawn(() -> pair[1].await());
          pair[1] = Heddle.spawn(() -> pair[0].await());
          return pair[0].await();
        };
    assertThatThrownBy(() -> run("simulated", Births.ON_LOOP, never))
        .isInstanceOf(DeadlockError.class);
    reported.await();
    assertThatThrownBy(() -> run("plain", Births.ON_JDK, never)).isInstanceOf(DeadlockError.class);
    while (!sees("lastLoop", "plain")) {
      Thread.onSpinWait(); // the log's thread keeps it
    }
    List<Map<String, String>> kept =
        Attachables.all().stream()
            .filter(shown -> shown.kind().equals("ended"))
            .flatMap(shown -> shown.watch().detail("reports").stream())
            .toList();
    assertThat(kept)
        .extracting(report -> report.get("loop"))
        .contains("plain")
        .doesNotContain("simulated");
  }
}
