// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Exit;
import dev.heddle.process.Exit.Reason;
import dev.heddle.process.Lifetime;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The session ends while a process is started for the other node.
@Timeout(300)
final class RemoteStartEndsTest {
  private final FakeNode here = new FakeNode("a", "b", 1);
  private final FakeNode there = new FakeNode("b", "a", 1);
  private final FakeProcess parent = here.processes.getFirst();
  private final List<FakeProcess> started = new ArrayList<>();
  private final CountDownLatch called = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(TwoNodes.GUARD_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// Does something on another thread, which waits for nothing.
  static void withoutWaiting(Runnable action) {
    var _ =
        TwoNodes.get(
            CompletableFuture.supplyAsync(() -> {
              action.run();
              return true;
            }));
  }

  private void deliver() {
    while (here.deliver(there) || there.deliver(here)) {}
  }

  private void spawn(UnaryOperator<StartOptions> with) {
    StartOptions options = with.apply(StartOptions.defaults().withParent(parent.self()));
    CompletableFuture<Pid> _ = here.remote.spawn("ended", options);
    deliver();
  }

  // ---- what the end does not wait for ----

  @Test
  @Tag("C9")
  void end_whileAProcessIsStarted_waitsForNothing() throws Exception {
    CompletableFuture<Thread> starter = new CompletableFuture<>();
    there.callbacks = task -> starter.complete(Thread.ofPlatform().daemon().start(task));
    there.starting =
        made -> {
          started.add(made);
          called.countDown();
          await(goOn);
        };
    spawn(StartOptions::monitored);
    await(called);

    here.remote.monitor(parent, there.pid(0), _ -> {});
    withoutWaiting(this::deliver); // a frame is delivered meanwhile
    assertThat(there.remote.counters().watches()).isEqualTo(1);
    withoutWaiting(there::endSession);
    assertThat(there.remote.counters().watches()).isZero();

    goOn.countDown();
    starter.get().join();
    assertThat(there.remote.counters().watches()).isZero();
    assertThat(started.getFirst().processLinks().isTied()).isFalse();
  }

  /// A failure makes its message where it is told.
  @Test
  void end_whileTheFailureOfAStartedProcessIsTold_waitsForNothing() throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    Throwable failure =
        new IllegalStateException() {
          @Override
          public String getMessage() {
            if (!ended.isDone()) {
              withoutWaiting(there::endSession);
              ended.complete(true);
            }
            return "boom";
          }
        };
    CompletableFuture<Thread> starter = new CompletableFuture<>();
    there.callbacks = task -> starter.complete(Thread.ofPlatform().daemon().start(task));
    there.starting = made -> made.end(new Exit(made.self(), Reason.FAILED, null, failure));
    spawn(StartOptions::monitored);

    assertThat(TwoNodes.get(ended)).isTrue();
    starter.get().join();
    assertThat(there.remote.counters().watches()).isZero();
  }

  // ---- what the end leaves ----

  @Test
  @Tag("C4")
  void monitoredStart_whoseSessionEndsMeanwhile_leavesNoWatch() {
    there.starting =
        made -> {
          started.add(made);
          there.endSession();
        };
    spawn(StartOptions::monitored);
    assertThat(there.remote.counters().watches()).isZero();
    assertThat(started.getFirst().processLinks().isTied()).isFalse();
  }

  @Test
  @Tag("C4")
  @Tag("C10")
  void linkedStart_whoseSessionEndsMeanwhile_isToldOfTheLostLink() {
    there.starting =
        made -> {
          started.add(made);
          there.endSession();
        };
    spawn(StartOptions::linked);
    assertThat(started.getFirst().linkDowns)
        .singleElement()
        .matches(it -> it.reason() == Reason.NO_CONNECTION && it.pid().equals(parent.self()));
    assertThat(there.remote.counters().standIns()).isZero();
    assertThat(there.remote.counters().watches()).isZero();
  }

  @Test
  @Tag("C9")
  void inputOfAStart_countsAsHeld_untilTheStartIsOver() {
    List<Runnable> tasks = new ArrayList<>();
    there.callbacks = tasks::add;
    spawn(with -> with);
    assertThat(there.remote.heldBytes()).isPositive();
    tasks.getFirst().run();
    assertThat(there.remote.heldBytes()).isZero();

    spawn(with -> with);
    there.endSession();
    tasks.getLast().run();
    assertThat(there.remote.heldBytes()).isZero();
  }

  @Test
  @Tag("C9")
  void startForWhichNoThreadCanBeMade_isRefused_andIsNotHeld() {
    there.callbacks = FakeNode.NO_THREAD;
    CompletableFuture<Pid> pid = here.remote.spawn("ended", StartOptions.defaults());
    deliver();
    assertThat(pid).isCompletedExceptionally();
    assertThat(there.remote.heldBytes()).isZero();
    assertThat(there.remote.counters().refusedHere()).isEqualTo(1);
  }

  // ---- of a runtime ----

  /// A process whose start waits for the test.
  private final class SlowProcess implements Process {
    final CountDownLatch closed = new CountDownLatch(1);
    volatile boolean hasBegun;

    @Override
    public Set<String> entryPoints() {
      called.countDown();
      await(goOn);
      return Process.super.entryPoints();
    }

    @Override
    public void init(ProcessContext context, String entryPoint, @Nullable Object input) {
      hasBegun = true;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {}

    @Override
    public void close() {
      closed.countDown();
    }
  }

  /// The parent lives at the same life of its node, and the node is in session again: the process
  /// is tied to the session that has asked for it nevertheless.
  private void startInASessionThatEnds(UnaryOperator<StartOptions> with) throws Exception {
    SlowProcess process = new SlowProcess();
    try (TwoNodes nodes = new TwoNodes()) {
      nodes.given = () -> process;
      Pid asker = nodes.a.obedient();
      CompletableFuture<Pid> pid =
          nodes.a.remote().spawn("given", with.apply(StartOptions.defaults().withParent(asker)));
      await(called);
      withoutWaiting(nodes::loseSession);
      boolean isLost = TwoNodes.get(pid.handle((_, failure) -> failure != null));
      assertThat(isLost).isTrue();
      nodes.connect();

      goOn.countDown();
      await(process.closed);
      nodes.settle();
      assertThat(nodes.a.in(asker, ProcessContext::links)).isEmpty();
      assertThat(nodes.a.remote().counters().standIns()).isZero();
      assertThat(nodes.b.remote().counters().standIns()).isZero();
    }
  }

  @Test
  @Tag("C10")
  void linkedStart_whoseSessionEndsMeanwhile_endsAlthoughThereIsANewOne() throws Exception {
    startInASessionThatEnds(StartOptions::linked);
  }

  @Test
  @Tag("C10")
  void startOfAChild_whoseSessionEndsMeanwhile_endsAlthoughThereIsANewOne() throws Exception {
    startInASessionThatEnds(with -> with.withLifetime(Lifetime.WITH_PARENT));
  }

  @Test
  void processThatIsMadeAfterTheEnd_isClosed_andNotStarted() {
    SlowProcess process = new SlowProcess();
    try (TwoNodes nodes = new TwoNodes()) {
      nodes.given =
          () -> {
            called.countDown();
            await(goOn);
            return process;
          };
      CompletableFuture<Pid> _ = nodes.a.remote().spawn("given", StartOptions.defaults());
      await(called);
      nodes.loseSession();
      goOn.countDown();
      await(process.closed);
      assertThat(process.hasBegun).isFalse();
      assertThat(nodes.b.runtime.processes()).isEmpty();
    }
  }
}
