// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.ShutdownReport.Abandoned;
import dev.heddle.process.ShutdownReport.Abandoned.Phase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A shutdown beside listeners and callbacks that do not return says who did not end.
@Timeout(300)
class HeldEndTest {
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void letGo() {
    goOn.countDown();
  }

  private void hold() {
    held.countDown();
    try {
      goOn.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts it", e);
    }
  }

  private ProcessRuntime holding(boolean inListener) {
    return ProcessRuntime.builder()
        .workers(2)
        .listener(
            new ProcessListener() {
              @Override
              public void onExit(Exit exit) {
                if (inListener) {
                  hold();
                }
              }
            })
        .start();
  }

  private void assertNamed(ProcessRuntime runtime, Pid pid) {
    ShutdownReport report = runtime.shutdown(Duration.ofMillis(50));
    assertThat(report.abandoned()).hasSize(1);
    Abandoned named = report.abandoned().getFirst();
    assertThat(named.pid()).isEqualTo(pid);
    assertThat(named.phase()).isEqualTo(Phase.CLOSE);
    assertThat(named.stack()).anyMatch(frame -> frame.getMethodName().equals("hold"));
  }

  @Test
  @Tag("proc-244")
  void shutdown_heldByTheListener_namesTheProcess() throws Exception {
    ProcessRuntime runtime = holding(true);
    Pid pid = runtime.spawn(Kit.untilMessage());
    runtime.send(pid, "end");
    held.await();
    assertNamed(runtime, pid);
  }

  @Test
  @Tag("proc-244")
  void shutdown_heldByACallbackOfAnExit_namesTheProcess() throws Exception {
    ProcessRuntime runtime = holding(false);
    Pid pid = runtime.spawn(Kit.untilMessage());
    var _ = runtime.whenExited(pid).thenRun(this::hold);
    runtime.send(pid, "end");
    held.await();
    assertNamed(runtime, pid);
  }

  @Test
  @Tag("proc-244")
  @Tag("proc-209")
  void shutdown_isBack_alsoWhenTheListenerOfAnAbandonedProcessIsNot() throws Exception {
    ProcessRuntime runtime = holding(true);
    CountDownLatch inStep = new CountDownLatch(1);
    Pid stuck =
        runtime.spawn((_, _) -> {
          inStep.countDown();
          goOn.await();
        });
    inStep.await();
    ShutdownReport report = runtime.shutdown(Duration.ofMillis(50));
    assertThat(report.abandoned()).extracting(Abandoned::pid).containsExactly(stuck);
    assertThat(report.abandoned().getFirst().phase()).isEqualTo(Phase.STEP);
    held.await(); // it was told, on a thread of its own
  }
}
