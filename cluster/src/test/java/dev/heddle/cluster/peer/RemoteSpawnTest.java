// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Exit.Reason;
import dev.heddle.process.Lifetime;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Starts of processes at the other node.
@Timeout(300)
class RemoteSpawnTest {
  private final TwoNodes nodes = new TwoNodes();
  private final TwoNodes.Node a = nodes.a;
  private final TwoNodes.Node b = nodes.b;

  @AfterEach
  void end() {
    nodes.close();
  }

  private Pid spawn(String entry, StartOptions options) {
    return TwoNodes.get(a.remote().spawn(entry, options));
  }

  private Pid trapping() {
    Pid pid = a.obedient();
    return a.in(
        pid,
        self -> {
          self.trapExits();
          return pid;
        });
  }

  @Test
  void spawn_startsTheEntryThere_withItsInput() throws Exception {
    Pid started = spawn("obedient", StartOptions.defaults().withInput(42).withName("worker"));
    assertThat(b.take()).isEqualTo(42);
    assertThat(started.node()).isEqualTo("b");
    assertThat(b.runtime.whereIs("worker")).isEqualTo(started);
  }

  /// Else a process of another node could never have a mailbox where senders wait.
  @Test
  @Tag("C9")
  void spawn_startsTheProcess_withTheMailboxOfItsEntry() throws Exception {
    Pid narrow = spawn("narrow", StartOptions.defaults().withInput("hello"));
    assertThat(b.take()).isEqualTo("hello");
    var isBusy = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    b.runtime.send(
        narrow,
        (TwoNodes.Deed)
            _ -> {
              isBusy.countDown();
              await(goOn);
            });
    await(isBusy);
    for (int i = 0; b.runtime.offer(narrow, i) == SendResult.ACCEPTED; i++) {
      assertThat(i).isLessThan(4);
    }
    CompletableFuture<Exit> sender =
        a.runtime.whenExited(
            a.runtime.spawn(CoroutineProcess.ofAction(_ -> a.runtime.send(narrow, "waits"))));
    goOn.countDown();
    assertThat(TwoNodes.get(sender).reason()).isIn(Reason.NORMAL, Reason.NOT_FOUND);
    Object last = b.take();
    while (!last.equals("waits")) {
      assertThat(last).isInstanceOf(Integer.class);
      last = b.take();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void optionsOfAnEntry_refuseWhatComesFromWhoStartsIt() {
    assertThatThrownBy(() -> new Entry(() -> (_, _) -> {}, StartOptions.defaults().withName("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name")
        .hasMessageContaining("come from who starts the process");
  }

  @Test
  void spawn_ofAnUnknownEntry_namesTheNodeAndItsEntries() {
    CompletableFuture<Pid> started = a.remote().spawn("nothing", StartOptions.defaults());
    assertThatThrownBy(() -> TwoNodes.get(started))
        .hasCauseInstanceOf(StartRefusedException.class)
        .hasMessageContaining("node 'b'")
        .hasMessageContaining("no entry 'nothing'")
        .hasMessageContaining("[failing, given, narrow, obedient]");
    assertThat(b.remote().counters().refusedHere()).isEqualTo(1);
  }

  @Test
  void spawn_withOptionsThatDoNotTravel_isRefusedInTheCall() {
    assertThatThrownBy(
            () -> a.remote().spawn("obedient", StartOptions.defaults().withEntryPoint("other")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reach another node");
    assertThatThrownBy(() -> a.remote().spawn("obedient", StartOptions.defaults().linked()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("need a parent");
  }

  @Test
  @Tag("C4")
  void spawn_linkedAndMonitored_tellsTheParentOfADeathAtOnce() throws Exception {
    for (int i = 0; i < 200; i++) {
      Pid parent = trapping();
      Pid child = spawn("failing", StartOptions.defaults().withParent(parent).linked().monitored());
      Map<Class<?>, Exit> told = new HashMap<>();
      for (int signals = 0; signals < 2; signals++) {
        Object signal = a.take();
        told.put(
            signal.getClass(),
            signal instanceof ProcessSignal.Down down
                ? down.exit()
                : ((ProcessSignal.LinkDown) signal).exit());
      }
      assertThat(told).hasSize(2);
      assertThat(told.values())
          .allMatch(exit -> exit.reason() == Reason.FAILED && exit.pid().equals(child));
    }
    assertThat(a.got).isEmpty();
    nodes.settle();
    assertThat(a.remote().counters().standIns()).isZero();
    assertThat(b.remote().counters().watches()).isZero();
  }

  @Test
  @Tag("C4")
  void endOfAStartedProcess_isToldAfterItsPid() {
    FakeNode here = new FakeNode("a", "b", 1);
    FakeNode there = new FakeNode("b", "a", 0);
    FakeProcess parent = here.processes.getFirst();
    CompletableFuture<Pid> started =
        here.remote.spawn("ended", StartOptions.defaults().withParent(parent.self()).monitored());
    while (here.deliver(there) || there.deliver(here)) {}
    assertThat(started).isCompleted();
    assertThat(parent.downs.values())
        .singleElement()
        .matches(exit -> exit.reason() == Reason.FAILED && exit.pid().equals(started.join()));
    assertThat(here.remote.counters().standIns()).isZero();
  }

  @Test
  @Tag("C10")
  void linkedChild_endsWithItsParent_andWithTheConnection() {
    Pid parent = a.obedient();
    Pid child = spawn("obedient", StartOptions.defaults().withParent(parent).linked());
    assertThat(a.in(parent, ProcessContext::links)).containsExactly(child);
    a.runtime.send(parent, "fail");
    assertThat(b.exit(child).reason()).isEqualTo(Reason.LINKED);

    Pid other = trapping();
    Pid second = spawn("obedient", StartOptions.defaults().withParent(other).linked());
    b.loseSession(); // only there
    assertThat(b.exit(second).reason()).isEqualTo(Reason.LINKED);
  }

  @Test
  void childWithTheLifetimeOfItsParent_endsWithIt() {
    Pid parent = a.obedient();
    Pid child =
        spawn(
            "obedient",
            StartOptions.defaults().withParent(parent).withLifetime(Lifetime.WITH_PARENT));
    a.runtime.send(parent, "done"); // which a link would not pass on
    assertThat(b.exit(child).reason()).isEqualTo(Reason.SHUTDOWN);
  }

  @Test
  void spawn_whoseParentHasEnded_endsTheLinkedChild() {
    Pid parent = a.obedient();
    a.runtime.send(parent, "done");
    a.exit(parent);
    Pid child = spawn("obedient", StartOptions.defaults().withParent(parent.address()).linked());
    assertThat(b.exit(child).isAbnormal()).isTrue();
  }

  @Test
  @Tag("C5")
  void spawn_whenTheSessionEnds_fails() throws Exception {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    a.line.execute(gate::join);
    CompletableFuture<Pid> started = a.remote().spawn("obedient", StartOptions.defaults());
    a.loseSession();
    assertThatThrownBy(() -> TwoNodes.get(started))
        .hasCauseInstanceOf(StartRefusedException.class)
        .hasMessageContaining("node 'b'")
        .hasMessageContaining("was lost");
    gate.complete(null);
    assertThat(a.remote().spawn("obedient", StartOptions.defaults())).isCompletedExceptionally();
  }

  @Test
  void spawn_thatIsGivenUp_leavesNoProcess() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    a.line.execute(gate::join);
    CompletableFuture<Pid> started =
        a.remote().spawn("obedient", StartOptions.defaults().withInput("here"));
    started.cancel(false);
    gate.complete(null);
    while (a.sent.stream().noneMatch(Frame.Terminate.class::isInstance)) {
      Thread.onSpinWait(); // the entry makes the process on a thread of its own
    }
    nodes.settle();
    assertThat(b.runtime.processes()).allMatch(it -> b.exit(it.pid()).isAbnormal());
  }
}
