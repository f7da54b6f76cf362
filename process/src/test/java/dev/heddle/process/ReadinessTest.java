// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Processes that say themselves when they have started.
@Timeout(300)
class ReadinessTest {
  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(2).factory(_ -> Kit.untilMessage()).start();
  private final BlockingQueue<String> story = Kit.queue();

  @AfterEach
  void end() {
    runtime.close();
  }

  /// Says that it is ready when it has got a message.
  private CoroutineProcess readyWhenTold() {
    return CoroutineProcess.of(
            self -> {
              story.add("begins");
              self.receive();
              story.add("ready");
              self.ready();
              return self.receive();
            })
        .reportingReady();
  }

  private ProcessSnapshot snapshot(Pid pid) {
    ProcessSnapshot there = runtime.process(pid);
    assertThat(there).isNotNull();
    return there;
  }

  @Test
  @Tag("proc-260")
  void childAfterABodyThatReportsReady_beginsWhenThatHasSaidSo() throws Exception {
    Process web =
        CoroutineProcess.of(self -> {
          story.add("web begins");
          return self.receive();
        });
    var pid =
        runtime.spawn(
            Supervisor.builder()
                .child(
                    ChildSpec.of("database", this::readyWhenTold)
                        .withOptions(StartOptions.defaults().withName("database")))
                .child(ChildSpec.of("web", () -> web).withAfter("database"))
                .build());
    assertThat(Kit.take(story)).isEqualTo("begins");
    runtime.send(runtime.whereIs("database"), "connected");
    assertThat(List.of(Kit.take(story), Kit.take(story))).containsExactly("ready", "web begins");
    runtime.cancel(pid, "over", Kit.SOON);
  }

  @Test
  @Tag("proc-260")
  void started_ofABodyThatReportsReady_completesWhenItHasSaidSo_andReportsNameItUntilThen()
      throws Exception {
    Pid pid = runtime.spawn(readyWhenTold());
    CompletableFuture<Boolean> started = runtime.whenStarted(pid);
    CompletableFuture<ProcessSnapshot> atStart =
        started.thenApply(_ -> snapshot(pid)); // on the worker, within ready()
    Kit.take(story);
    assertThat(snapshot(pid).starting()).isTrue();
    assertThat(runtime.dump()).contains("STARTING: has not called ready() yet");
    assertThat(started).isNotDone();
    runtime.send(pid, "connected");
    assertThat(Kit.get(started)).isTrue();
    assertThat(Kit.get(atStart).starting()).isFalse();
  }

  @Test
  @Tag("proc-305")
  void typedBody_thatReportsReady_staysTyped() throws Exception {
    Ref<String> typed =
        runtime.spawn(
            TypedCoroutineProcess.of(
                    String.class,
                    self -> {
                      story.add("begins");
                      String first = self.next();
                      self.ready();
                      return first + self.next();
                    })
                .reportingReady());
    Pid pid = Objects.requireNonNull(typed.pid());
    CompletableFuture<Boolean> started = runtime.whenStarted(pid);
    Kit.take(story);
    assertThat(started).isNotDone();
    typed.send("a");
    assertThat(Kit.get(started)).isTrue();
    typed.send("b");
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo("ab");
  }

  @Test
  @Tag("proc-260")
  void started_ofAProcessThatEndsBeforeItIsReady_isFalse() {
    CompletableFuture<Boolean> ends =
        runtime.whenStarted(runtime.spawn(CoroutineProcess.of(_ -> null).reportingReady()));
    CompletableFuture<Boolean> fails =
        runtime.whenStarted(
            runtime.spawn(
                CoroutineProcess.of(
                        _ -> {
                          throw new IllegalStateException("no database");
                        })
                    .reportingReady()));
    assertThat(Kit.get(ends)).isFalse();
    assertThat(Kit.get(fails)).isFalse();
  }

  @Test
  @Tag("proc-260")
  void step_thatSaysReady_countsAsStartedFromThenOn() {
    class Slow implements Process {
      private @Nullable ProcessContext context;

      @Override
      public boolean reportsReady() {
        return true;
      }

      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        context = self;
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        if (!events.isEmpty()) {
          java.util.Objects.requireNonNull(context).ready();
        }
      }
    }
    Pid pid = runtime.spawn(new Slow());
    CompletableFuture<Boolean> started = runtime.whenStarted(pid);
    runtime.send(pid, "go");
    assertThat(Kit.get(started)).isTrue();
    runtime.send(pid, "again"); // does no harm
    assertThat(Kit.get(runtime.whenStarted(pid))).isTrue();
  }

  @Test
  void ready_ofAProcessThatDoesNotPromiseIt_isRefused_withWhatToDo() {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.ready();
              return null;
            }));
    assertThat(Kit.exit(runtime, pid).cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("reportingReady()");
  }

  @Test
  void reportsReady_ofABodyThatHasBegun_isRefused() {
    CoroutineProcess body = CoroutineProcess.of(CoroutineProcess::receive);
    Pid pid = runtime.spawn(body);
    assertThat(Kit.get(runtime.whenStarted(pid))).isTrue();
    org.assertj.core.api.Assertions.assertThatThrownBy(body::reportingReady)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("before it is spawned");
  }

  @Test
  @Tag("proc-260")
  void replacement_thatDoesNotReportReady_countsAsStartedWhenItsInitHasReturned() {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(
                    self -> {
                      self.receive();
                      self.upgrade("next", Process.RUN, null);
                      return null;
                    })
                .reportingReady());
    CompletableFuture<Boolean> started = runtime.whenStarted(pid);
    runtime.send(pid, "go");
    assertThat(Kit.get(started)).isTrue();
  }

  @Test
  @Tag("proc-261")
  void statistics_sayWhatTheProcessHasDone() {
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              if (self.statistics().received() == 3) {
                out.execute(1, new dev.heddle.process.ProcessCommand<Object>() {});
                out.done(self.statistics());
              }
            }));
    for (int i = 0; i < 3; i++) {
      runtime.send(pid, i);
    }
    ProcessStatistics seen = (ProcessStatistics) Kit.exit(runtime, pid).result();
    assertThat(seen.received()).isEqualTo(3);
    assertThat(seen.steps()).isBetween(1L, 4L);
    assertThat(seen.mailbox()).isZero();
    assertThat(seen.pendingCommands()).isZero();
  }

  @Test
  @Tag("proc-261")
  void statistics_ofABody_countWhatLiesInItsMailbox() {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.context().send(self.context().self(), "one");
              self.context().send(self.context().self(), "two");
              return self.context().statistics();
            }));
    ProcessStatistics seen = (ProcessStatistics) Kit.exit(runtime, pid).result();
    assertThat(seen).isEqualTo(new ProcessStatistics(1, 0, 2, 0));
  }
}
