// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The ends of processes, whoever has started them.
@Tag("T13.6")
@Timeout(300)
@Proves("processes")
class ProcessesTest {
  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  private static Process start(String script) {
    return Heddle.offload(() -> new ProcessBuilder("sh", "-c", script).start());
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void endOfAChildOfTheJdk_hasItsExitCode() {
    inLoop(() -> {
      Process child = start("read go; exit 7");
      Coroutine<Integer> waiter = Heddle.spawn(() -> Heddle.await(Processes.exitOf(child)));
      Heddle.yieldNow();
      assertThat(waiter.isDone()).isFalse();
      child.getOutputStream().close();
      assertThat(waiter.await()).isEqualTo(7);
      assertThat(Heddle.await(Processes.exitOf(child))).as("a latecomer").isEqualTo(7);
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void endOfAProcessThatIsNoChild_isReportedWithoutACode() {
    inLoop(() -> {
      try (Child shell = Command.shell("sleep 1000 & echo $!; wait; read go").start()) {
        long pid = Long.parseLong(shell.output().readLine());
        Awaitable<Integer> end = Processes.exitOf(pid);
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        assertThat(Heddle.await(end)).isEqualTo(Processes.UNKNOWN);
      }
    });
  }

  @Test
  void endOfAChildOfACommand_hasItsExitCode() {
    inLoop(() -> {
      try (Child child = Command.shell("read go; exit 5").start()) {
        Awaitable<Integer> end = Processes.exitOf(child.pid());
        child.input().close();
        assertThat(Heddle.await(end)).isEqualTo(5);
      }
    });
  }

  @Test
  @Tag("loop-248")
  void processThatHasEnded_isUnknown_andNoWaitHangs() {
    inLoop(() -> {
      Process ended = start("exit 3");
      long pid = ended.pid();
      assertThat(Heddle.<Integer>offload(ended::waitFor)).isEqualTo(3);
      assertThat(Heddle.await(Processes.exitOf(pid))).isEqualTo(Processes.UNKNOWN);
      assertThat(Heddle.await(Processes.exitOf(Long.MAX_VALUE))).isEqualTo(Processes.UNKNOWN);
    });
  }

  @Test
  @Shows({Aspect.CANCEL, Aspect.DEADLINE})
  void waits_canBeBounded() {
    inLoop(() -> {
      try (Child child = Command.of("sleep", "1000").start()) {
        Awaitable<Integer> end = Processes.exitOf(child.pid());
        assertThatThrownBy(() -> Heddle.await(end, Deadline.after(Duration.ofNanos(1))))
            .isInstanceOf(DeadlineException.class);
        assertThatThrownBy(() -> Heddle.await(end, Heddle.timer(Duration.ZERO)))
            .isInstanceOf(WaitCancelledException.class);
      }
    });
  }

  @Test
  void waitsForOneProcess_leaveNothingWithTheJdk() {
    inLoop(() -> {
      Process child = start("read go");
      assertThat(Processes.exitOf(child).event()).isSameAs(Processes.exitOf(child).event());
      long pid = child.pid();
      assertThat(Processes.exitOf(pid).event()).isSameAs(Processes.exitOf(pid).event());
      child.getOutputStream().close();
      Heddle.await(Processes.exitOf(child));
    });
  }

  @Test
  void endThatIsNotAwaited_doesNotKeepTheLoopAlive() {
    Process[] child = new Process[1];
    inLoop(() -> {
      child[0] = start("exec sleep 1000");
      assertThat(Processes.exitOf(child[0]).event().isClosed()).isFalse();
    });
    assertThat(child[0].isAlive()).isTrue();
    child[0].destroyForcibly();
  }

  @Test
  void thisProcess_isRefused() {
    inLoop(() ->
        assertThatThrownBy(() -> Processes.exitOf(ProcessHandle.current().pid()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("is this one"));
    assertThatThrownBy(() -> Processes.exitOf(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  @Test
  void dump_namesTheProcess() {
    inLoop(() -> {
      Process child = start("read go");
      Coroutine<Integer> waiter = Heddle.spawn(() -> Heddle.await(Processes.exitOf(child)));
      Heddle.yieldNow();
      assertThat(Heddle.dump().text()).contains("the end of process " + child.pid());
      child.getOutputStream().close();
      assertThat(waiter.await()).isOne();
    });
  }
}
