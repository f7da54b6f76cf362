// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.ProcessSnapshot.State;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Where a sequential body waits, and for what, as reports show it.
@Timeout(300)
class WaitingBodyTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private static @Nullable Object inReceive(CoroutineProcess self) {
    return self.receive(LONG);
  }

  private static @Nullable Object inCall(CoroutineProcess self) {
    return self.execute(Commands.sleep(LONG), LONG);
  }

  private static @Nullable Object inTheJdk(CoroutineProcess self) throws InterruptedException {
    new CountDownLatch(1).await();
    return self;
  }

  private ProcessSnapshot once(Pid pid, State state, @Nullable String waitsFor) {
    while (true) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      ProcessSnapshot now = Objects.requireNonNull(runtime.process(pid));
      if (now.state() == state
          && Objects.equals(now.waitsFor(), waitsFor)
          && callers(now).contains("WaitingBodyTest.")) { // else the step that it was in ends
        return now;
      }
      Thread.yield();
    }
  }

  private ProcessSnapshot once(CoroutineProcess.Code code, State state, @Nullable String waitsFor) {
    return once(runtime.spawn(CoroutineProcess.of(code)), state, waitsFor);
  }

  private static String callers(ProcessSnapshot snapshot) {
    return snapshot.stack().toString();
  }

  @Test
  void bodyInReceive_saysSo_andWhere() {
    ProcessSnapshot waiting = once(WaitingBodyTest::inReceive, State.IDLE, "receive within PT1H");
    assertThat(waiting.info()).contains(" idle for receive within PT1H, ");
    assertThat(callers(waiting))
        .doesNotStartWith("[java.base/")
        .contains("CoroutineProcess.receive(", "WaitingBodyTest.inReceive(")
        .doesNotContain("yield", "suspend");
  }

  @Test
  void bodyInCall_namesTheCommand_andItsLimit() {
    ProcessSnapshot waiting =
        once(
            self -> self.execute(Commands.call(() -> inTheJdk(self)), LONG),
            State.BLOCKED,
            "Call within PT1H");
    assertThat(callers(waiting)).contains("CoroutineProcess.execute(", "WaitingBodyTest.lambda$");
    assertThat(callers(once(WaitingBodyTest::inCall, State.BLOCKED, "Sleep within PT1H")))
        .contains("WaitingBodyTest.inCall(");
  }

  @Test
  void bodyInTheJdk_hasItsStack() {
    ProcessSnapshot waiting = once(WaitingBodyTest::inTheJdk, State.BLOCKED, null);
    while (!callers(waiting).contains("CountDownLatch.await(")) { // blocked, but not there yet
      waiting = Objects.requireNonNull(runtime.process(waiting.pid()));
    }
    assertThat(callers(waiting)).contains("WaitingBodyTest.inTheJdk(");
  }

  @Test
  void bodyThatWaitsForRoom_namesTheMailbox() {
    StartOptions small = StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND);
    Pid full = runtime.spawn(CoroutineProcess.of(WaitingBodyTest::inCall), small);
    once(full, State.BLOCKED, "Sleep within PT1H");
    runtime.send(full, "fills it");
    ProcessSnapshot waiting =
        once(
            self -> {
              self.context().send(full, "waits");
              return null;
            },
            State.BLOCKED,
            "space in the mailbox of " + full);
    assertThat(callers(waiting)).contains("InstanceContext.send(", "WaitingBodyTest.lambda$");
    runtime.terminate(full);
  }

  @Test
  void bodies_haveTheirStacksInTheDump_notInTheList() {
    for (int i = 0; i < 4; i++) {
      once(WaitingBodyTest::inReceive, State.IDLE, "receive within PT1H");
    }
    assertThat(runtime.processes()).hasSize(4).allMatch(each -> each.stack().isEmpty());
    assertThat(runtime.dump())
        .contains(" idle for receive within PT1H, ", "\n  at ", " alike\n")
        .containsOnlyOnce("WaitingBodyTest.inReceive(");
  }
}
