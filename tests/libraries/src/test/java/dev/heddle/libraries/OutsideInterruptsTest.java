// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertUndisturbed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CancellationException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/// Code that knows nothing of coroutines ends waits by [Thread#interrupt()]: those of Heddle's,
/// too.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutsideInterruptsTest {

  @ParameterizedTest
  @EnumSource
  void futureTask_cancelledWhileItRunsInACoroutine_endsItsWait(Wait wait) {
    Watched.run(() -> {
      FutureTask<Integer> task =
          new FutureTask<>(() -> {
            wait.run();
            return 1;
          });
      Coroutine<?> runner =
          Heddle.spawn(() -> {
            task.run();
            assertUndisturbed();
          });
      Watched.until(runner::isSuspended);
      assertThat(task.cancel(true)).isTrue();
      runner.await();
      assertThatThrownBy(task::get).isInstanceOf(CancellationException.class);
    });
  }

  /// A test that JUnit ends; it is run by the tests below.
  static class Overdue {
    @Test
    @Timeout(value = 50, unit = TimeUnit.MILLISECONDS)
    void waitsForADay() {
      Heddle.delay(Wait.aDay());
    }
  }

  /// The same with a loop of its own.
  static class OverdueLoop {
    @Test
    @Timeout(value = 50, unit = TimeUnit.MILLISECONDS)
    void waitsForADay() {
      Heddle.run(() -> {
        Heddle.delay(Wait.aDay());
      });
    }
  }

  @Test
  void timeoutOfJUnit_insideACoroutine_endsTheTestAndShowsWhereItWaited() {
    String failure = Heddle.run(() -> failureOf(Overdue.class));
    assertThat(failure)
        .contains("TimeoutException")
        .contains(Overdue.class.getName() + ".waitsForADay");
  }

  @Test
  void timeoutOfJUnit_aroundALoop_endsTheLoopAndShowsWhereItWaited() {
    assertThat(failureOf(OverdueLoop.class))
        .contains("TimeoutException")
        .contains("its thread was interrupted, while these waited:")
        .contains("OverdueLoop.lambda$waitsForADay");
  }

  /// What JUnit reports, with every cause and suppressed exception.
  private static String failureOf(Class<?> tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(tests))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    assertThat(summary.getTestsFailedCount()).isEqualTo(1);
    StringWriter text = new StringWriter();
    summary.getFailures().getFirst().getException().printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
