// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.Exit.Reason;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Children that end with their parent.
@Timeout(300)
class LifetimeTest {
  private static final StartOptions WITH_PARENT =
      StartOptions.defaults().withLifetime(Lifetime.WITH_PARENT);

  /// Starts a child, and ends with the first message: as one that is done, or by what that throws.
  private static Pid parentOf(
      ProcessRuntime runtime, Process child, StartOptions how, CompletableFuture<Pid> started) {
    return runtime.spawn(
        Kit.process((self, events, out) -> {
          if (!started.isDone()) {
            started.complete(self.spawn(child, how));
          }
          for (ProcessEvent event : events) {
            if (event.data() instanceof Exception why) {
              throw why;
            }
            out.done();
          }
        }));
  }

  private static Exit endOfChild(ProcessRuntime runtime, StartOptions how, Object message) {
    CompletableFuture<Pid> started = new CompletableFuture<>();
    Pid parent = parentOf(runtime, Kit.resting(), how, started);
    var exit = runtime.whenExited(Kit.get(started));
    runtime.send(parent, message);
    return Kit.get(exit);
  }

  @Test
  @Tag("proc-247")
  void childWithItsParent_endsOnPurpose_howeverThatHasEnded() {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start()) {
      Exit normally = endOfChild(runtime, WITH_PARENT, "done");
      assertThat(normally.reason()).isEqualTo(Reason.SHUTDOWN);
      assertThat(normally.cause()).hasMessage("process cancelled: its parent has ended");
      Exit failed = endOfChild(runtime, WITH_PARENT, new IllegalStateException("boom"));
      assertThat(failed.reason()).isEqualTo(Reason.SHUTDOWN);
      Exit linked = endOfChild(runtime, WITH_PARENT.linked(), new IllegalStateException("boom"));
      assertThat(linked.reason()).isEqualTo(Reason.LINKED);
    }
  }

  @Test
  @Tag("proc-247")
  void childThatTrapsExits_isAsked_andHasTheTimeOfItsOptions() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    CompletableFuture<Pid> started = new CompletableFuture<>();
    CompletableFuture<Object> traps = new CompletableFuture<>();
    Process child =
        CoroutineProcess.of(self -> {
          self.context().trapExits();
          traps.complete("");
          ProcessSignal.Cancel cancel = self.receive(ProcessSignal.Cancel.class);
          got.add(cancel.remaining());
          return "cleaned up";
        });
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start()) {
      StartOptions patient = WITH_PARENT.withShutdown(Duration.ofDays(2));
      Pid parent = parentOf(runtime, child, patient, started);
      Kit.get(traps);
      var exit = runtime.whenExited(Kit.get(started));
      runtime.send(parent, "done");
      assertThat((Duration) Kit.take(got)).isBetween(Duration.ofDays(1), Duration.ofDays(2));
      assertThat(Kit.get(exit).result()).isEqualTo("cleaned up");
    }
  }

  @Test
  @Tag("proc-247")
  void childThatIgnoresIt_isEndedWhenItsTimeIsOver() throws Exception {
    CompletableFuture<Pid> started = new CompletableFuture<>();
    CompletableFuture<Object> traps = new CompletableFuture<>();
    Process deaf =
        Kit.process((self, _, _) -> {
          self.trapExits();
          traps.complete("");
        });
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start()) {
      StartOptions brief = WITH_PARENT.withShutdown(Duration.ofMillis(1));
      Pid parent = parentOf(runtime, deaf, brief, started);
      Kit.get(traps);
      var exit = runtime.whenExited(Kit.get(started));
      runtime.send(parent, "done");
      assertThat(Kit.get(exit).reason()).isEqualTo(Reason.TERMINATED);
    }
  }

  @Test
  @Tag("proc-247")
  void lifetime_isThatOfTheRuntime_whereTheOptionsDoNotSay() {
    try (ProcessRuntime runtime =
        ProcessRuntime.builder().workers(2).childLifetime(Lifetime.WITH_PARENT).start()) {
      assertThat(endOfChild(runtime, StartOptions.defaults(), "done").reason())
          .isEqualTo(Reason.SHUTDOWN);
      CompletableFuture<Pid> started = new CompletableFuture<>();
      StartOptions alone = StartOptions.defaults().withLifetime(Lifetime.INDEPENDENT);
      Pid parent = parentOf(runtime, Kit.untilMessage(), alone, started);
      runtime.send(parent, "done");
      Kit.exit(runtime, parent);
      Pid child = Kit.get(started);
      var exit = runtime.whenExited(child);
      runtime.send(child, "has outlived it");
      assertThat(Kit.get(exit).result()).isEqualTo("has outlived it");
      Pid orphan = runtime.spawn(Kit.untilMessage()); // has no parent, and lives
      var other = runtime.whenExited(orphan);
      runtime.send(orphan, "lives");
      assertThat(Kit.get(other).result()).isEqualTo("lives");
    }
  }

  @Test
  @Tag("proc-247")
  void startWithoutAParent_toEndWith_isRefused() {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      assertThatThrownBy(() -> runtime.spawn(Kit.resting(), WITH_PARENT))
          .isInstanceOf(StartRefusedException.class)
          .hasMessageContaining("give the options a parent");
    }
  }

  @Test
  @Tag("proc-247")
  void childThatHasEnded_leavesNothingWithItsParent() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      Pid parent = runtime.spawn(Kit.resting());
      for (int i = 0; i < 100; i++) {
        Pid child = runtime.spawn(Kit.untilMessage(), WITH_PARENT.withParent(parent));
        var exit = runtime.whenExited(child);
        runtime.send(child, i);
        Kit.get(exit);
      }
      awaitNoListener(runtime, parent);
    }
  }

  private static void awaitNoListener(ProcessRuntime runtime, Pid parent) throws Exception {
    while (DeclaredFailureTest.waiting(parent) > 0) {
      Objects.requireNonNull(runtime.process(parent)); // the last one takes it back in a moment
      Thread.onSpinWait();
    }
  }

  @Test
  @Tag("proc-247")
  void shutdown_leavesChildrenToTheirParent_untilThatHasEnded() throws Exception {
    ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
    BlockingQueue<Object> order = Kit.queue();
    CompletableFuture<Object> traps = new CompletableFuture<>();
    Process child =
        CoroutineProcess.of(self -> {
          self.context().trapExits();
          traps.complete("");
          self.receive(ProcessSignal.Cancel.class);
          order.add("child");
          return null;
        });
    runtime.spawn(
        CoroutineProcess.of(self -> {
          self.context().trapExits();
          self.context().spawn(child, WITH_PARENT);
          Kit.get(traps);
          order.add("ready");
          self.receive(ProcessSignal.Cancel.class);
          order.add("parent");
          return null;
        }));
    assertThat(Kit.take(order)).isEqualTo("ready");
    assertThat(runtime.shutdown(Kit.SOON).asked()).isEqualTo(2);
    assertThat(order).containsExactly("parent", "child");
  }
}
