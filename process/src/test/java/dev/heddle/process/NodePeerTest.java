// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.Exit.Reason;
import dev.heddle.process.remote.LocalProcesses;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Links, monitors and orders between runtimes whose connection carries them.
@Timeout(300)
@Tag("P13")
class NodePeerTest {
  private final ProcessRuntime here =
      ProcessRuntime.builder().workers(2).node("n1").host("a").incarnation(1).start();
  private final ProcessRuntime there =
      ProcessRuntime.builder().workers(2).node("n2").host("b").incarnation(7).start();
  private final TestNode node = TestNode.join(here, there);
  private final BlockingQueue<Object> got = Kit.queue();

  @AfterEach
  void end() {
    here.close();
    there.close();
  }

  /// Does what it is sent within a step, and passes on what else comes.
  private interface Deed {
    void in(ProcessContext self) throws Exception;
  }

  private Pid obedient(ProcessRuntime in) {
    return in.spawn(
        Kit.process((self, events, out) -> {
          for (ProcessEvent event : events) {
            switch (event.data()) {
              case Deed deed -> deed.in(self);
              case ProcessSignal.Cancel _ -> out.done();
              case String s when s.equals("done") -> out.done("result");
              case String s when s.equals("fail") -> throw new IllegalStateException("boom");
              case null, default -> got.add(Objects.requireNonNull(event.data()));
            }
          }
        }));
  }

  private <T> T ask(Pid pid, Function<ProcessContext, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    ProcessRuntime of = pid.node().equals("n1") ? here : there;
    of.send(pid, (Deed) self -> answer.complete(question.apply(self)));
    return Kit.get(answer);
  }

  private Pid trapping() {
    Pid pid = obedient(here);
    ask(
        pid,
        self -> {
          self.trapExits();
          return "";
        });
    return pid;
  }

  private void link(Pid pid, Pid other) {
    ask(
        pid,
        self -> {
          self.link(other);
          return "";
        });
  }

  private boolean demonitor(Pid pid, long monitor) {
    return ask(pid, self -> self.demonitor(monitor));
  }

  private void awaitNothingTied() {
    while (!(node.hasNothing() && node.otherEnd().hasNothing())) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.onSpinWait(); // the thread that announces an exit drops what it has tied
    }
  }

  // ---- links ----

  @Test
  @Tag("proc-164")
  void link_toAnotherNode_endsTheLocalProcess_withTheFailureOfTheOther() {
    Pid near = obedient(here);
    Pid far = obedient(there);
    link(near, far);
    assertThat(ask(near, ProcessContext::links)).containsExactly(far);
    assertThat(ask(far, ProcessContext::links)).containsExactly(near);
    CompletableFuture<Exit> exit = here.whenExited(near);
    there.send(far, "fail");
    assertThat(Kit.get(exit).reason()).isEqualTo(Reason.LINKED);
    assertThat(Kit.get(exit).origin()).isEqualTo(far);
    awaitNothingTied();
  }

  @Test
  @Tag("proc-164")
  void link_toAnotherNode_endsTheFarProcess_withTheFailureOfTheLocalOne() {
    Pid near = obedient(here);
    Pid far = obedient(there);
    link(near, far);
    CompletableFuture<Exit> exit = there.whenExited(far);
    here.send(near, "fail");
    assertThat(Kit.get(exit).reason()).isEqualTo(Reason.LINKED);
    awaitNothingTied();
  }

  @Test
  @Tag("proc-142")
  void link_toAnotherNode_survivesANormalEnd_andLeavesNothing() {
    Pid near = obedient(here);
    Pid far = obedient(there);
    link(near, far);
    there.send(far, "done");
    awaitNothingTied();
    assertThat(ask(near, ProcessContext::links)).isEmpty();
    Pid farther = obedient(there);
    link(near, farther);
    here.send(near, "done");
    awaitNothingTied();
    assertThat(ask(farther, ProcessContext::links)).isEmpty();
  }

  @Test
  @Tag("proc-159")
  void link_isSentOnce_howeverOftenItIsMade() {
    Pid near = obedient(here);
    Pid far = obedient(there);
    link(near, far);
    link(near, far);
    assertThat(ask(near, ProcessContext::links)).containsExactly(far);
    assertThat(node.frames).containsExactly("LINK");
  }

  @Test
  @Tag("proc-159")
  @Tag("proc-164")
  void unlink_beforeTheFailure_isKeptByBothSides() throws Exception {
    Pid near = trapping();
    Pid far = obedient(there);
    link(near, far);
    ask(
        near,
        self -> {
          self.unlink(far);
          return "";
        });
    assertThat(node.frames).containsExactly("LINK", "UNLINK", "DEMONITOR");
    assertThat(ask(far, ProcessContext::links)).isEmpty();
    there.send(far, "fail");
    Kit.exit(there, far);
    here.send(near, "next");
    assertThat(Kit.take(got)).isEqualTo("next");
    awaitNothingTied();
  }

  @Test
  @Tag("proc-160")
  void link_ofAProcessThatHasEnded_isRefused() {
    Pid far = obedient(there);
    Pid near = obedient(here);
    ProcessContext ended = ask(near, self -> self);
    here.send(near, "done");
    Kit.exit(here, near);
    assertThatThrownBy(() -> ended.link(far))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has ended; it cannot be linked");
    assertThatThrownBy(() -> ended.monitor(far))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has ended; it cannot monitor");
    awaitNothingTied();
  }

  @Test
  @Tag("proc-159")
  void link_toNoSuchProcessThere_isBrokenAsNotFound() throws Exception {
    Pid near = trapping();
    link(near, new Pid("n2", "b", 9_999, 7));
    link(near, new Pid("n2", "b", obedient(there).id(), 6)); // of another life
    for (int i = 0; i < 2; i++) {
      assertThat(((ProcessSignal.LinkDown) Kit.take(got)).exit().reason())
          .isEqualTo(Reason.NOT_FOUND);
    }
    awaitNothingTied();
  }

  // ---- monitors ----

  @Test
  @Tag("proc-164")
  @Tag("proc-219")
  void monitor_ofAnotherNode_firesOnce_withTheRealExit() throws Exception {
    Pid near = obedient(here);
    Pid far = obedient(there);
    long first = ask(near, self -> self.monitor(far));
    long second = ask(near, self -> self.monitor(far));
    assertThat(ask(near, ProcessContext::monitored)).containsExactly(far, far);
    there.send(far, "done");
    List<Object> downs = List.of(Kit.take(got), Kit.take(got));
    assertThat(downs)
        .extracting(down -> ((ProcessSignal.Down) down).monitor())
        .containsExactlyInAnyOrder(first, second);
    assertThat(downs)
        .allSatisfy(
            down -> assertThat(((ProcessSignal.Down) down).exit().result()).isEqualTo("result"));
    awaitNothingTied();
  }

  @Test
  @Tag("proc-164")
  void demonitor_releasesTheWatch_withTheLastOne() {
    Pid near = obedient(here);
    Pid far = obedient(there);
    long first = ask(near, self -> self.monitor(far));
    long second = ask(near, self -> self.monitor(far));
    assertThat(demonitor(near, first)).isTrue();
    assertThat(node.hasNothing()).isFalse();
    assertThat(demonitor(near, second)).isTrue();
    assertThat(demonitor(near, second)).isFalse();
    assertThat(node.frames).containsExactly("MONITOR", "MONITOR", "DEMONITOR");
    assertThat(node.otherEnd().hasNothing()).isTrue();
  }

  @Test
  @Tag("proc-159")
  void commands_inSteps_reachTheOtherNode() throws Exception {
    Pid far = obedient(there);
    Pid near =
        here.spawn(
            CoroutineProcess.ofAction(self -> {
              self.context().trapExits();
              self.execute(Commands.link(far));
              long monitor = self.execute(Commands.monitor(far));
              self.execute(Commands.terminate(far));
              got.add(self.receive(ProcessSignal.LinkDown.class).exit().reason());
              got.add(self.receive(ProcessSignal.Down.class).monitor() == monitor);
            }));
    assertThat(Kit.exit(here, near).reason()).isEqualTo(Reason.NORMAL);
    assertThat(List.of(Kit.take(got), Kit.take(got))).containsExactly(Reason.TERMINATED, true);
  }

  // ---- the connection ends ----

  @Test
  @Tag("proc-162")
  @Tag("proc-163")
  @Tag("proc-220")
  void endOfTheConnection_isToldOnceToEachWatcherAndLinkedProcess_andKillsNoWatcher()
      throws Exception {
    try (ProcessRuntime third = ProcessRuntime.builder().workers(1).node("n3").host("c").start()) {
      TestNode.join(here, third);
      Pid far = obedient(there);
      Pid watcher = obedient(here);
      Pid linked = obedient(here);
      Pid elsewhere = obedient(here);
      ask(watcher, self -> self.monitor(far));
      link(linked, far);
      ask(elsewhere, self -> self.monitor(third.spawn(Kit.resting())));
      CompletableFuture<Exit> exit = here.whenExited(linked);
      CompletableFuture<Exit> farExit = there.whenExited(far);
      node.cut();
      node.cut(); // again: nothing
      ProcessSignal.Down down = (ProcessSignal.Down) Kit.take(got);
      assertThat(down.exit()).isEqualTo(new Exit(far, Reason.NO_CONNECTION, null, null));
      assertThat(Kit.get(exit).reason()).isEqualTo(Reason.LINKED);
      assertThat(Kit.get(farExit).reason()).isEqualTo(Reason.LINKED);
      assertThat(ask(watcher, ProcessContext::monitored)).isEmpty();
      assertThat(ask(elsewhere, ProcessContext::monitored)).hasSize(1);
      assertThat(got).isEmpty();
    }
  }

  @Test
  void monitor_withoutAConnection_firesAtOnce() throws Exception {
    Pid far = obedient(there);
    node.cut();
    ask(obedient(here), self -> self.monitor(far));
    assertThat(((ProcessSignal.Down) Kit.take(got)).exit().reason())
        .isEqualTo(Reason.NO_CONNECTION);
    assertThat(Kit.exit(here, far).reason()).isEqualTo(Reason.NO_CONNECTION);
    assertThatThrownBy(() -> here.terminate(far))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining(far.toString());
  }

  /// The node is in touch again when the start of a process that it has asked for before comes to
  /// the ties.
  @Test
  @Tag("proc-162")
  void spawnForAnotherNode_tiesByTheConnectionThatHasAsked() {
    Pid parent = obedient(here);
    LocalProcesses local = LocalProcesses.of(there);
    node.cut();
    local.removeNode("n1");
    LocalProcesses.of(here).removeNode("n2");
    TestNode next = TestNode.join(here, there);

    StartOptions options = StartOptions.defaults().withParent(parent);
    Pid linked = local.spawn(Kit.resting(), options.linked(), node.otherEnd());
    Pid bound =
        local.spawn(Kit.resting(), options.withLifetime(Lifetime.WITH_PARENT), node.otherEnd());

    assertThat(Kit.exit(there, linked).reason()).isIn(Reason.LINKED, Reason.NOT_FOUND);
    assertThat(Kit.exit(there, bound).reason()).isIn(Reason.SHUTDOWN, Reason.NOT_FOUND);
    assertThat(next.otherEnd().frames).isEmpty();
  }

  // ---- orders, and waits from outside ----

  @Test
  void waitsForTheEnd_fromOutside_leaveNothingWhenGivenUp() throws Exception {
    Pid far = obedient(there);
    assertThatThrownBy(() -> here.awaitExit(far, Duration.ofMillis(1)))
        .isInstanceOf(dev.heddle.DeadlineException.class);
    awaitNothingTied();
    there.send(far, "done");
    assertThat(here.awaitExit(far, Kit.SOON).reason()).isIn(Reason.NORMAL, Reason.NOT_FOUND);
    assertThat(Kit.get(here.whenStarted(obedient(there)))).isTrue();
    assertThat(Kit.get(here.whenStarted(new Pid("n2", "b", 9_999, 7)))).isFalse();
  }

  @Test
  void orders_reachAProcessOfAnotherNode() {
    Pid cancelled = there.spawn(Kit.resting());
    Pid terminated = there.spawn(Kit.resting());
    Pid requested = there.spawn(Kit.resting());
    List<CompletableFuture<Exit>> exits =
        List.of(
            here.whenExited(cancelled), here.whenExited(terminated), here.whenExited(requested));
    here.cancel(cancelled, "enough", Kit.SOON);
    here.terminate(terminated);
    here.requestExit(requested, "moved");
    assertThat(Kit.get(exits.get(0)).reason()).isEqualTo(Reason.SHUTDOWN);
    assertThat(Kit.get(exits.get(1)).reason()).isEqualTo(Reason.TERMINATED);
    assertThat(Kit.get(exits.get(2)).detail()).isEqualTo("moved");
  }

  @Test
  void requestOfAProcess_namesIt() {
    Pid near = obedient(here);
    Pid far = there.spawn(Kit.resting());
    CompletableFuture<Exit> exit = here.whenExited(far);
    ask(
        near,
        self -> {
          self.requestExit(far, "moved");
          return "";
        });
    assertThat(Kit.get(exit).cause()).hasMessageContaining(near + " has asked it to end");
  }

  // ---- children ----

  @Test
  void child_ofAParentOnAnotherNode_isLinked_andEndsWithTheConnection() {
    Pid parent = obedient(here);
    Pid linked =
        LocalProcesses.of(there)
            .spawn(Kit.resting(), StartOptions.defaults().withParent(parent).linked());
    Pid bound =
        LocalProcesses.of(there)
            .spawn(
                Kit.resting(),
                StartOptions.defaults().withParent(parent).withLifetime(Lifetime.WITH_PARENT));
    assertThat(ask(parent, ProcessContext::links)).containsExactly(linked);
    List<CompletableFuture<Exit>> exits =
        List.of(there.whenExited(linked), there.whenExited(bound));
    node.cut();
    assertThat(Kit.get(exits.get(0)).reason()).isEqualTo(Reason.LINKED);
    assertThat(Kit.get(exits.get(1)).reason()).isEqualTo(Reason.SHUTDOWN);
  }

  @Test
  void child_ofAParentOnANodeThatIsLost_endsAtOnce() {
    Pid parent = obedient(here);
    node.cut();
    StartOptions options = StartOptions.defaults().withParent(parent);
    Pid linked = there.spawn(Kit.resting(), options.linked());
    Pid bound = there.spawn(Kit.resting(), options.withLifetime(Lifetime.WITH_PARENT));
    assertThat(Kit.exit(there, linked).reason()).isIn(Reason.LINKED, Reason.NOT_FOUND);
    assertThat(Kit.exit(there, bound).reason()).isIn(Reason.SHUTDOWN, Reason.NOT_FOUND);
  }

  @Test
  void child_thatAFarParentIsToMonitor_isRefused() {
    Pid parent = obedient(here);
    assertThatThrownBy(() ->
            there.spawn(Kit.resting(), StartOptions.defaults().withParent(parent).monitored()))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("on another node")
        .hasMessageContaining("monitor()");
    awaitNothingTied();
  }

  @Test
  void child_whoseStartIsRefused_leavesNoLinkAtItsFarParent() {
    try (ProcessRuntime strict =
        ProcessRuntime.builder()
            .workers(1)
            .node("n3")
            .listener(
                new ProcessListener() {
                  @Override
                  public void onStart(Pid pid, StartOptions options) {
                    throw new IllegalStateException("no");
                  }
                })
            .start()) {
      TestNode way = TestNode.join(here, strict);
      Pid parent = obedient(here);
      assertThatThrownBy(() ->
              strict.spawn(Kit.resting(), StartOptions.defaults().withParent(parent).linked()))
          .hasMessageContaining("no");
      assertThat(ask(parent, ProcessContext::links)).isEmpty();
      assertThat(way.hasNothing() && way.otherEnd().hasNothing()).isTrue();
    }
  }
}
