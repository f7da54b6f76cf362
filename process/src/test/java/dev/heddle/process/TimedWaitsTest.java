// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.DeadlineException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What waits of processes with a limit leave behind: nothing.
@Timeout(300)
class TimedWaitsTest extends CoroutineFixture {
  private static final Duration DAY = Duration.ofDays(1);

  /// The thread of the timers lets go of what is disarmed when it wakes, which a sleep makes it do.
  private void awaitNoTimer() {
    int left = 1;
    for (int i = 0; i < 1_000 && left > 0; i++) {
      var _ = result(self -> self.execute(Commands.sleep(Duration.ofMillis(1))));
      left = runtime.timers();
    }
    assertThat(left).isZero();
  }

  /// Each wait was two coroutines on the loop of the commands, which piled up.
  @Test
  @Tag("timer-3")
  void bodiesThatChat_withALimitForEachMessage_haveATimerEach_andNoCommand() {
    int messages = 20_000;
    Pid echo =
        spawn(self -> {
          while (self.receive(DAY) instanceof Pid asker) {
            self.context().send(asker, self.context().pendingCommands());
          }
          return null;
        });
    Object most =
        result(self -> {
          int timers = 0;
          for (int i = 0; i < messages; i++) {
            self.context().send(echo, self.context().self());
            assertThat(self.receive(DAY)).isEqualTo(0);
            timers = Math.max(timers, runtime.timers());
          }
          return timers;
        });
    runtime.send(echo, "enough");
    assertThat((int) Objects.requireNonNull(most)).isBetween(1, 4); // each may be in both places
    awaitNoTimer();
  }

  @Test
  @Tag("timer-3")
  void commandsWithALimit_thatAreDoneInTime_shareATimer() {
    Object most =
        result(self -> {
          int timers = 0;
          for (int i = 0; i < 2_000; i++) {
            self.execute(Commands.send(self.context().self(), i), DAY);
            timers = Math.max(timers, runtime.timers());
          }
          return timers;
        });
    assertThat((int) Objects.requireNonNull(most)).isBetween(1, 2);
    awaitNoTimer();
  }

  @Test
  @Tag("timer-6")
  void limitOfAWaitThatHasEnded_doesNotEndTheNext() {
    assertThat(
            result(self -> {
              Throwable first = catchThrowable(() -> self.receive(Duration.ofMillis(1)));
              assertThat(first).isInstanceOf(DeadlineException.class);
              self.execute(Commands.sleep(Duration.ofMillis(3)), DAY);
              self.context().send(self.context().self(), "later");
              self.receive(Duration.ofHours(1));
              return self.execute(Commands.sleep(Duration.ofMillis(3)), DAY);
            }))
        .isNull();
  }

  @Test
  void receive_withNoTime_takesWhatIsThere_andDoesNotWait() {
    assertThat(
            result(self -> {
              self.context().send(self.context().self(), "there");
              Object got = self.receive(Duration.ZERO);
              Throwable none = catchThrowable(() -> self.receive(Duration.ZERO));
              assertThat(none).isInstanceOf(DeadlineException.class);
              return got;
            }))
        .isEqualTo("there");
  }

  @Test
  @Tag("timer-4")
  void asksThatAreAnswered_leaveNoTimer() {
    Pid echo =
        runtime.spawn((events, _) -> {
          for (ProcessEvent event : events) {
            ((Request) Objects.requireNonNull(event.data())).reply().complete("yes");
          }
        });
    Object answers =
        result(self -> {
          for (int i = 0; i < 3_000; i++) {
            assertThat(self.<Object>execute(Commands.ask(echo, i, DAY))).isEqualTo("yes");
          }
          return "all";
        });
    assertThat(answers).isEqualTo("all");
    awaitNoTimer();
  }

  @Test
  @Tag("timer-4")
  void processesThatEnd_takeTheirTimersWithThem() throws Exception {
    BlockingQueue<String> traps = Kit.queue();
    Pid receives = spawn(self -> self.receive(DAY));
    Pid calls = spawn(self -> self.execute(new Kit.Call("never"), DAY));
    Pid sleeps = runtime.spawn((_, out) -> out.execute(1, Commands.sleep(DAY)));
    Pid cancelled =
        spawn(self -> {
          self.context().trapExits();
          traps.add("now");
          self.receive();
          return self.receive();
        });
    Kit.take(traps);
    runtime.cancel(cancelled, "in a day", DAY);
    while (runtime.timers() < 4) {
      Thread.onSpinWait(); // until all of them wait
    }
    for (Pid pid : new Pid[] {receives, calls, sleeps, cancelled}) {
      var exit = runtime.whenExited(pid);
      runtime.terminate(pid);
      Kit.get(exit);
    }
    awaitNoTimer();
  }

  @Test
  @Tag("timer-4")
  void timersThatAreStartedAndStopped_leaveNothing() {
    Pid restless =
        runtime.spawn(
            Kit.process(
                new Kit.Step() {
                  private long tag;

                  @Override
                  public void step(ProcessContext self, List<ProcessEvent> events, StepOutput out) {
                    events.forEach(event ->
                        assertThat(event.error()).isInstanceOf(CancellationException.class));
                    if (tag > 0) {
                      assertThat(self.cancelCommand(tag)).isTrue();
                    }
                    if (tag == 20_000) {
                      out.done();
                    } else {
                      out.execute(++tag, Commands.sleep(DAY));
                      out.continueNow();
                    }
                  }
                }));
    assertThat(Kit.exit(runtime, restless).cause()).isNull();
    awaitNoTimer();
  }
}
