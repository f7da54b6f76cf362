// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.hosting.ExitProgram.Scenario;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What becomes of loops whose process is told to end: by signals, by `System.exit`. In JVMs of
/// their own, whose deadlines are an hour where nobody is to wait for them.
@Tag("T18")
@Tag("once")
class ProcessExitTest {
  private static ChildJvm.Result run(Scenario scenario, String... options)
      throws IOException, InterruptedException {
    return ChildJvm.of(ExitProgram.class).with("-Dscenario=" + scenario).with(options).run();
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void signal_toALoopThatHandlesIt_stopsItGracefullyWithItsCode(String signal, int code)
      throws Exception {
    ChildJvm.Result child = run(Scenario.SIGNAL, "-Dsignal=" + signal);
    assertThat(child.output().lines()).containsExactly("cleaned up", "closed", "exit " + code);
    assertThat(child.exitCode()).isEqualTo(code);
  }

  @Test
  void secondSignal_whenASecondHasPassed_endsTheProcessAtOnce() throws Exception {
    ChildJvm.Result child = run(Scenario.SIGNAL_TWICE);
    assertThat(child.output().lines()).containsExactly("cleaning up");
    assertThat(child.exitCode()).isEqualTo(143);
  }

  /// `timeout` signals its child and then its group; the second one cut the clean-up short.
  @ParameterizedTest
  @Tag("loop-307")
  @CsvSource({"TERM, TERM, 143", "INT, INT, 130", "INT, TERM, 130", "TERM, INT, 143"})
  void secondSignal_withinASecond_isTheSameRequest(String first, String second, int code)
      throws Exception {
    ChildJvm.Result child =
        run(Scenario.SIGNAL_TWICE_WITHIN_A_SECOND, "-Dsignal=" + first, "-Dsecond=" + second);
    assertThat(child.output().lines()).containsExactly("cleaning up", "cleaned up", "exit " + code);
    assertThat(child.exitCode()).isEqualTo(code);
  }

  /// Also when an older one has ended; one within a second still belongs to the first. And after
  /// the last the handler is there again that was there before the first.
  @Test
  void signal_toSeveralLoops_stopsThemAllAndIsTheProgramsAgainAfterwards() throws Exception {
    ChildJvm.Result child = run(Scenario.SIGNAL_AMONG_LOOPS);
    assertThat(child.output().lines())
        .containsExactly(
            "cancelled", "exit 143", "exit 143", "the same request", "the program's own handler");
    assertThat(child.exitCode()).isEqualTo(5);
  }

  @Test
  void signal_withoutAHandler_stopsTheLoopGracefully() throws Exception {
    ChildJvm.Result child = run(Scenario.SIGNAL_UNHANDLED);
    assertThat(child.output().lines()).containsExactly("cleaned up", "closed");
    assertThat(child.exitCode()).isEqualTo(143);
  }

  @ParameterizedTest
  @Tag("trap-63")
  @EnumSource(
      names = {
        "EXIT_IN_COROUTINE",
        "EXIT_IN_AWAITED_COROUTINES",
        "EXIT_IN_OFFLOADED_CODE",
        "EXIT_IN_FAILURE_HANDLER"
      })
  void systemExit_onALoop_letsTheOthersCleanUpAndIsNotAwaited(Scenario scenario) throws Exception {
    ChildJvm.Result child = run(scenario);
    assertThat(child.output().lines()).containsExactly("cleaned up", "closed");
    assertThat(child.exitCode()).isEqualTo(3);
  }

  @Test
  @Tag("trap-63")
  @Tag("T12")
  void systemExit_inACloser_isNotAwaitedByTheOthers() throws Exception {
    ChildJvm.Result child = run(Scenario.EXIT_IN_CLOSER);
    assertThat(child.output().lines()).containsExactly("closed");
    assertThat(child.exitCode()).isEqualTo(3);
  }

  @Test
  void failuresJustBeforeSystemExit_areOnTheStandardError_whenTheLoggersAreGone() throws Exception {
    ChildJvm.Result child = run(Scenario.EXIT_BEHIND_FAILURES);
    assertThat(child.output())
        .contains("dev.heddle: unobserved failure of")
        .contains("IllegalStateException: the first one's")
        .contains("IllegalStateException: the second one's");
    assertThat(child.exitCode()).isEqualTo(3);
  }

  @Test
  void systemExit_besideACoroutineThatHangs_namesItWithItsStackAndExits() throws Exception {
    ChildJvm.Result child = run(Scenario.EXIT_WITH_ONE_WHO_HANGS);
    assertThat(child.output())
        .contains("1 coroutine did not end")
        .contains("'stubborn' waits for")
        .doesNotContain("a failure while the loop stopped")
        .contains("at " + ExitProgram.class.getName());
    assertThat(child.exitCode()).isEqualTo(3);
  }

  @Test
  void systemExit_besideACoroutineThatHoldsTheLoop_doesNotHang() throws Exception {
    assertThat(run(Scenario.EXIT_WITH_ONE_WHO_HOLDS_THE_LOOP).exitCode()).isEqualTo(3);
  }
}
