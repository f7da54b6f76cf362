// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Code of the program that waits where the cluster calls it.
@Timeout(300)
final class CallbacksTest {
  private abstract static class Stepless implements Process {
    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {}
  }

  private static final Duration SOON = Duration.ofSeconds(RunningNode.GUARD_SECONDS);

  private final LocalEngines engines = new LocalEngines();
  private final List<RunningNode> nodes = new ArrayList<>();
  private final CountDownLatch called = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1); // of the test

  private RunningNode start(String name, Engine engine) {
    RunningNode node = new RunningNode("shop", name, engine);
    nodes.add(node);
    return node;
  }

  private RunningNode start(String name) {
    return start(name, engines.engine(name));
  }

  private static void awaitSession(RunningNode a, RunningNode b) throws InterruptedException {
    a.awaitSession(b.node.self().node());
    b.awaitSession(a.node.self().node());
  }

  private void waitForEver() {
    called.countDown();
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    nodes.forEach(RunningNode::close);
    end.countDown();
  }

  /// Asks a node that is there, and joins another one.
  private void checkWorks(RunningNode a, RunningNode other) throws InterruptedException {
    Pid there = other.spawn();
    assertThat(a.runtime.<Object>ask(there, "question", SOON)).isEqualTo("question");
    RunningNode late = start("late");
    awaitSession(a, late);
    assertThat(a.runtime.<Object>ask(late.spawn(), "question", SOON)).isEqualTo("question");
    a.node.leave(SOON);
    assertThat(other.awaitEnd(a.node.self().node()).cause()).isEqualTo(Cause.LEFT);
  }

  @Test
  @Tag("C5")
  @Tag("C9")
  void stageOfAFailedAsk_thatWaitsForEver_harmsNoOtherSession() throws InterruptedException {
    RunningNode a = start("a");
    Engine engineOfB = engines.engine("b");
    RunningNode b = start("b", engineOfB);
    RunningNode c = start("c");
    awaitSession(a, b);
    awaitSession(a, c);
    Pid silent = b.runtime.spawn((_, _) -> {});
    CompletableFuture<?> _ =
        a.runtime.request(silent, "question").whenComplete((_, _) -> waitForEver());

    engines.kill(engineOfB);
    called.await();

    checkWorks(a, c);
  }

  @Test
  @Tag("C9")
  void stageOfAnExit_thatWaitsForEver_keepsBackNoMessage() throws InterruptedException {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);
    Pid fails = b.spawn();
    CompletableFuture<?> _ = a.runtime.whenExited(fails).thenRun(this::waitForEver);

    b.runtime.send(fails, "fail");
    called.await();

    checkWorks(a, b);
  }

  @Test
  void stage_thatAsksTheSameNode_getsAnAnswer() throws Exception {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);
    Pid there = b.spawn();

    CompletableFuture<Object> answer =
        a.runtime.request(there, "first").thenApply(_ -> a.runtime.request(there, "second").join());

    assertThat(answer.get()).isEqualTo("second");
  }

  @Test
  @Tag("C9")
  void supplierOfAnEntry_thatWaits_keepsBackItsOwnStartOnly() throws Exception {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);

    CompletableFuture<Pid> started =
        requireNonNull(a.node.node("b")).spawn("slow", StartOptions.defaults());
    b.supplierCalled.await();
    assertThat(a.runtime.<Object>ask(b.spawn(), "question", SOON)).isEqualTo("question");
    assertThat(started).isNotDone();

    b.supplierReturns.countDown();
    assertThat(a.runtime.<Object>ask(started.get(), "question", SOON)).isEqualTo("question");
  }

  /// Starts a process of `b` for `a`, which ends in code of `b` that never returns: that keeps back
  /// this start, and neither a message of the same session nor the end of it.
  private void checkStartWaitsAlone(RunningNode b, StartOptions options)
      throws InterruptedException {
    RunningNode a = start("a");
    RunningNode c = start("c");
    awaitSession(a, b);
    awaitSession(b, c);

    CompletableFuture<Pid> started = requireNonNull(a.node.node("b")).spawn("given", options);
    called.await();
    assertThat(a.runtime.<Object>ask(b.spawn(), "question", SOON)).isEqualTo("question");
    assertThat(started).isNotDone();
    a.node.leave(SOON);
    assertThat(b.awaitEnd("a").cause()).isEqualTo(Cause.LEFT);
    assertThat(started.handle((_, failure) -> failure).join()).isNotNull(); // it is lost

    checkWorks(b, c);
    end.countDown(); // else the runtime would wait for the start
  }

  @Test
  @Tag("C9")
  void listenerOfStarts_thatWaitsForEver_keepsBackItsOwnStartOnly() throws InterruptedException {
    RunningNode b = start("b");
    b.onStart = this::waitForEver;

    checkStartWaitsAlone(b, StartOptions.defaults().withName("listened"));
  }

  @Test
  @Tag("C9")
  void entryPointsOfAProcess_thatWaitForEver_keepBackItsOwnStartOnly() throws InterruptedException {
    RunningNode b = start("b");
    b.given =
        () ->
            new Stepless() {
              @Override
              public Set<String> entryPoints() {
                waitForEver();
                return super.entryPoints();
              }
            };

    checkStartWaitsAlone(b, StartOptions.defaults());
  }

  @Test
  @Tag("C9")
  void closeOfARefusedProcess_thatWaitsForEver_keepsBackItsOwnStartOnly()
      throws InterruptedException {
    RunningNode b = start("b");
    b.given =
        () ->
            new Stepless() {
              @Override
              public Set<String> entryPoints() {
                return Set.of("none that is asked for");
              }

              @Override
              public void close() {
                waitForEver();
              }
            };

    checkStartWaitsAlone(b, StartOptions.defaults());
  }

  @Test
  void listenerOfAGroup_thatWaitsForEver_keepsBackNoMessage() throws InterruptedException {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);
    Runnable _ = a.node.groups().onChange(_ -> waitForEver());

    b.node.groups().join("room", b.spawn());
    called.await();

    checkWorks(a, b);
  }

  @Test
  void listenerOfNodes_thatWaitsForEver_keepsBackNoMessage() throws InterruptedException {
    RunningNode a = start("a");
    Runnable _ = a.node.onChange(_ -> waitForEver());
    RunningNode b = start("b");
    awaitSession(a, b);
    called.await();

    checkWorks(a, b);
  }

  @Test
  void leave_inAListener_leaves() throws Exception {
    RunningNode a = start("a");
    CompletableFuture<Boolean> left = new CompletableFuture<>();
    Runnable _ =
        a.node.onChange(_ -> {
          try {
            a.node.leave(SOON);
            left.complete(true);
          } catch (InterruptedException e) {
            left.completeExceptionally(e);
          }
        });
    RunningNode b = start("b"); // the session may be over before anybody can look at it

    assertThat(b.awaitEnd("a").cause()).isEqualTo(Cause.LEFT);
    assertThat(left.get()).isTrue();
  }
}
