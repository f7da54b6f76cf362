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
import org.junit.jupiter.params.provider.ValueSource;

/// Observers of a JVM see its loops, but for those whose order must repeat: a look would change it.
@Tag("sim-1")
@Timeout(300)
class UnobservedLoopTest {
  private final CountDownLatch reported = new CountDownLatch(1);

  private <T> T run(String name, boolean isObserved, Body<T> main) {
    VirtualClock clock = new VirtualClock();
    SchedulerParts parts =
        new SchedulerParts(
            new VirtualDriver(clock, () -> ""),
            clock,
            ReadyPicker.FIFO,
            null,
            Births.ON_JDK,
            isObserved);
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
  @ValueSource(booleans = {true, false})
  void loop_isSeenWhileItRuns_ifItIsObserved(boolean isObserved) {
    boolean seen = run("looked at", isObserved, () -> sees("name", "looked at"));
    assertThat(seen).isEqualTo(isObserved);
  }

  @Test
  void deadlockOfALoopThatIsNotObserved_isReportedToItsProgramOnly() throws InterruptedException {
    Body<Object> never =
        () -> {
          Coroutine<?>[] pair = new Coroutine<?>[2];
          pair[0] = Heddle.spawn(() -> pair[1].await());
          pair[1] = Heddle.spawn(() -> pair[0].await());
          return pair[0].await();
        };
    assertThatThrownBy(() -> run("simulated", false, never)).isInstanceOf(DeadlockError.class);
    reported.await();
    assertThatThrownBy(() -> run("plain", true, never)).isInstanceOf(DeadlockError.class);
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
