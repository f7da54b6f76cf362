// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.routing.LocalPid;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Commands that fail with checked exceptions, in bodies that catch them.
@Timeout(300)
@Tag("proc-282")
class DeclaredFailureTest extends CoroutineFixture {
  private static ProcessCommand<String> failing(Exception failure) {
    return Commands.call(() -> {
      throw failure;
    });
  }

  /// How many wait for an exit, as the ties of the process have it.
  static int waiting(Pid pid) throws ReflectiveOperationException {
    ProcessLinks processLinks = ((ProcessInstance) ((LocalPid) pid).receiver()).processLinks();
    Field listeners = ProcessLinks.class.getDeclaredField("listeners");
    listeners.setAccessible(true);
    Set<?> all = (Set<?>) listeners.get(processLinks);
    return all == null ? 0 : all.size();
  }

  @Test
  void catchOfACheckedException_aroundACallThatDeclaresIt_compilesAndCatches() {
    FileNotFoundException failure = new FileNotFoundException("on purpose");
    assertThat(
            result(self -> {
              try {
                return self.execute(failing(failure), IOException.class);
              } catch (IOException e) { // would be an error of the compiler's without a declaration
                return e;
              }
            }))
        .isSameAs(failure);
  }

  @Test
  void result_ofACallThatDeclaresAFailure_isThatOfTheCommand() {
    assertThat(result(self -> self.execute(Commands.call(() -> "done"), IOException.class)))
        .isEqualTo("done");
  }

  @Test
  void anotherCheckedException_isTheCauseOfOneThatSaysSo() {
    TimeoutException failure = new TimeoutException("on purpose");
    assertThat(failure(self -> self.execute(failing(failure), IOException.class)))
        .isInstanceOf(UndeclaredThrowableException.class)
        .hasMessageContaining("IOException")
        .hasCause(failure);
  }

  @Test
  void uncheckedFailure_isThrownAsItIs() {
    IllegalStateException failure = new IllegalStateException("on purpose");
    assertThat(failure(self -> self.execute(failing(failure), IOException.class)))
        .isSameAs(failure);
  }

  @Test
  void limit_ofACallThatDeclaresAFailure_isKept() {
    @Nullable Throwable late =
        failure(
            self -> self.execute(new Kit.Call("never"), Duration.ofMillis(1), IOException.class));
    assertThat(late).isInstanceOf(DeadlineException.class);
  }

  @Test
  @Tag("proc-283")
  void pollingForAnExit_leavesNoListener() throws Exception {
    Pid pid = runtime.spawn(Kit.resting());
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(() -> runtime.awaitExit(pid, Duration.ZERO))
          .isInstanceOf(DeadlineException.class);
    }
    assertThat(waiting(pid)).isZero();
    runtime.terminate(pid);
    assertThat(runtime.awaitExit(pid, Kit.SOON).reason()).isEqualTo(Exit.Reason.TERMINATED);
  }

  @Test
  @Tag("proc-283")
  void addressOfAPid_isEqual_andKeepsNoExit() {
    Pid pid = spawn(_ -> "result");
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo("result");
    Pid address = pid.address();
    assertThat(address).isEqualTo(pid);
    assertThat(address).isNotInstanceOf(LocalPid.class);
    // it leaves the table after it was told
    while (runtime.counters().processes() > 0) {
      Thread.onSpinWait();
    }
    assertThat(Kit.exit(runtime, address).reason()).isEqualTo(Exit.Reason.NOT_FOUND);
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo("result");
  }

  @Test
  @Tag("proc-284")
  void requestsThatAProcessLeaves_failWithoutATraceEach() {
    Pid asked = runtime.spawn(Kit.resting());
    var answer = runtime.request(asked, "?");
    runtime.terminate(asked);
    Throwable failure = Kit.get(answer.handle((_, thrown) -> thrown));
    assertThat(failure).isInstanceOf(NoReplyException.class);
    assertThat(failure.getStackTrace()).isEmpty();
  }

  @Test
  @Tag("proc-284")
  void askOfABody_thatHasNoAnswer_namesItsOwnLine() {
    Pid asked = runtime.spawn(Kit.untilMessage());
    @Nullable Throwable failure = failure(self -> self.execute(Commands.ask(asked, "?", DAY)));
    assertThat(failure).isInstanceOf(AskFailedException.class);
    assertThat(failure).hasStackTraceContaining("DeclaredFailureTest");
  }
}
