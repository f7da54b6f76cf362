// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.engine.LogLines;
import dev.heddle.ports.TestPorts;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Three nodes over real sockets of loopback, joined once for all tests: `a` of a newer release,
/// whose messages `b` and `c` know in part, `b` which refuses orders, and `c` which carries them
/// out. `b` has one worker.
@Timeout(300)
class JoinedNodesTest {
  private static final Duration SOON = Duration.ofMinutes(4);
  private static final int IN_A_ROW = 30; // by chance once in a billion starts

  @Wire("Colour")
  enum Colour {
    RED,
    GREEN
  }

  @Wire("Colour")
  enum FewerColours {
    RED
  }

  @Wire("Paint")
  record Paint(Colour colour) {}

  @Wire("Paint")
  record OldPaint(FewerColours colour) {}

  record News(String text) {}

  /// Replies with what it is asked, and passes on all else.
  private static final class Recorder implements Process {
    @Override
    public void init(ProcessContext context, String method, @Nullable Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request(var message, var reply)) {
          var _ = reply.complete(message);
        } else if (event.data() instanceof ProcessSignal.Cancel) {
          out.done("cancelled");
        } else if (event.data() != null) {
          GOT.add(event.data());
        }
      }
    }
  }

  private static final BlockingQueue<Object> GOT = new LinkedBlockingQueue<>();
  private static final BlockingQueue<Pid> RESIDENTS = new LinkedBlockingQueue<>();

  private static ProcessRuntime runtime;
  private static Cluster a;
  private static Cluster b;
  private static Cluster c;

  @BeforeAll
  static void join() throws Exception {
    int[] ports = {TestPorts.next(), TestPorts.next(), TestPorts.next()};
    runtime = ProcessRuntime.builder().workers(1).node("b").start();
    a = Cluster.join(options("a", ports).messages(Paint.class, News.class));
    b =
        Cluster.join(
            runtime,
            options("b", ports)
                .messages(OldPaint.class)
                .entry("worker", () -> (_, out) -> out.done())
                .entry("resident", () -> CoroutineProcess.ofAction(JoinedNodesTest::reside))
                .refuseOrders());
    c =
        Cluster.join(
            options("c", ports)
                .messages(OldPaint.class)
                .entry("worker", () -> (_, out) -> out.done()));
    ClusterTest.awaitUp(a, "b");
    ClusterTest.awaitUp(a, "c");
  }

  private static ClusterOptions options(String name, int... ports) {
    return ClusterOptions.named(name)
        .cluster("joined")
        .bind("127.0.0.1", ports[name.charAt(0) - 'a'])
        .seeds("127.0.0.1:" + ports[0]);
  }

  @AfterAll
  static void leave() {
    c.close();
    b.close();
    runtime.close();
    a.close();
  }

  private static Object take() throws InterruptedException {
    Object got = GOT.poll(4, MINUTES);
    return got == null ? "nothing" : got;
  }

  /// What a node sees of another one.
  private static NodeInfo info(Cluster of, String node) {
    return of.nodes().stream().filter(it -> node.equals(it.name())).findFirst().orElseThrow();
  }

  // ---- what the other node does not know ----

  @Test
  @Tag("C3")
  void message_ofATypeUnknownThere_isRefusedAndCountedOnBothSides_andToldToItsSender()
      throws Exception {
    Pid there = b.runtime().spawn(new Recorder());
    long before = info(b, "a").refusedHere();
    a.runtime()
        .spawn(
            CoroutineProcess.ofAction(self -> {
              self.context().trapUndelivered();
              self.context().runtime().send(there, new News("x"));
              GOT.add(self.receive(ProcessSignal.Undelivered.class));
            }));
    assertThat(take()).isEqualTo(new ProcessSignal.Undelivered(there, 1, SendResult.NOT_SENDABLE));
    assertThat(info(b, "a").refusedHere()).isEqualTo(before + 1);
    assertThat(info(a, "b").refusedThere()).isPositive();
    a.runtime().send(there, new Paint(Colour.RED)); // the session goes on
    assertThat(take()).isEqualTo(new OldPaint(FewerColours.RED));
  }

  @Test
  @Tag("C5")
  void ask_withAConstantOrATypeUnknownThere_failsWithTheNodeAndTheName_andIsCountedThere() {
    Pid there = b.runtime().spawn(new Recorder());
    long before = info(b, "a").refusedHere();
    assertThatThrownBy(() -> a.runtime().ask(there, new Paint(Colour.GREEN), SOON))
        .isInstanceOf(AskFailedException.class)
        .cause()
        .isInstanceOfSatisfying(
            RemoteFailure.class, failure -> assertThat(failure.node()).isEqualTo("b"))
        .hasMessageContainingAll("Paint", "constant GREEN of ", "does not exist here");
    assertThatThrownBy(() -> a.runtime().ask(there, new News("x"), SOON))
        .isInstanceOf(AskFailedException.class)
        .cause()
        .isInstanceOfSatisfying(
            RemoteFailure.class, failure -> assertThat(failure.node()).isEqualTo("b"))
        .hasMessageContaining("News");
    assertThat(info(b, "a").refusedHere()).isEqualTo(before + 2);
  }

  @Test
  void spawn_withAnInputOrAnEntryUnknownThere_isRefusedWithTheNodeAndTheName_theInputCountedThere()
      throws Exception {
    long before = info(b, "a").refusedHere();
    var input = StartOptions.defaults().withInput(new News("x"));
    assertThatThrownBy(() -> a.spawn("worker", input, Place.on("b")))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll("'b'", "News");
    assertThat(info(b, "a").refusedHere()).isEqualTo(before + 1);
    // what another node offers is known before it is asked
    assertThatThrownBy(() -> a.spawn("mason", StartOptions.defaults(), Place.on("b")))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll("'mason'", "b");
  }

  // ---- orders ----

  @Test
  void orders_toANodeThatRefusesThem_areIgnoredWithWordsAndCounted_andCarriedOutElsewhere()
      throws Exception {
    Pid there = b.runtime().spawn(new Recorder());
    long before = info(b, "a").refusedHere();
    try (var lines = new LogLines()) {
      order(there);
      // behind the orders, in the same session: it lives
      assertThat(a.runtime().<String>ask(there, "still there?", SOON)).isEqualTo("still there?");
      lines.waitFor("node 'a': ignored ", there.toString(), "this node has refuseOrders()");
    }
    assertThat(info(b, "a").refusedHere()).isEqualTo(before + 3);
    Pid obeying = c.runtime().spawn(new Recorder());
    var exit = c.runtime().whenExited(obeying);
    order(obeying);
    assertThat(exit.get(4, MINUTES).pid()).isEqualTo(obeying);
    // what is no order is as with all nodes
    assertThat(a.spawn("worker", StartOptions.defaults(), Place.on("b")).node()).isEqualTo("b");
  }

  private static void order(Pid pid) {
    a.runtime().cancel(pid, "enough", SOON);
    a.runtime().requestExit(pid, "enough");
    a.runtime().terminate(pid);
  }

  /// Lives, and says who it is.
  private static void reside(CoroutineProcess self) throws InterruptedException {
    RESIDENTS.add(self.context().self());
    var _ = self.receive();
  }

  /// Links are no orders: the process decides what they do to it, and others rely on them.
  @Test
  @Tag("C4")
  void linkOfAnotherNode_toANodeThatRefusesOrders_breaksAtBothEnds_andTheProcessMayTrapIt()
      throws Exception {
    Pid there = b.runtime().spawn(new Recorder());
    var linkDown = new CompletableFuture<Object>();
    Pid trapping = b.runtime().spawn(CoroutineProcess.ofAction(self -> trap(self, linkDown)));
    assertThat(RESIDENTS.poll(4, MINUTES)).isEqualTo(trapping);
    var exit = b.runtime().whenExited(there);
    Pid here =
        a.runtime()
            .spawn(
                CoroutineProcess.ofAction(self -> {
                  self.context().link(there);
                  self.context().link(trapping);
                  throw new IllegalStateException("broken");
                }));
    assertThat(exit.get(4, MINUTES).reason()).isEqualTo(Exit.Reason.LINKED);
    assertThat(linkDown.get(4, MINUTES))
        .isInstanceOfSatisfying(
            ProcessSignal.LinkDown.class, it -> assertThat(it.exit().pid()).isEqualTo(here));
  }

  private static void trap(CoroutineProcess self, CompletableFuture<Object> linkDown)
      throws InterruptedException {
    self.context().trapExits();
    RESIDENTS.add(self.context().self());
    linkDown.complete(self.receive());
  }

  /// No order reaches it: without its link it would live on without its supervisor.
  @Test
  @Tag("C10")
  void child_atANodeThatRefusesOrders_endsWithItsStandIn() throws Exception {
    Pid standIn =
        a.runtime().spawn(a.child("resident", StartOptions.defaults(), Place.on("b")).call());
    Pid child = RESIDENTS.poll(4, MINUTES);
    var exit = b.runtime().whenExited(child);
    a.runtime().terminate(standIn);
    assertThat(exit.get(4, MINUTES).reason()).isEqualTo(Exit.Reason.LINKED);
  }

  // ---- starts by load ----

  @Test
  void spawn_leastLoaded_startsAtTheIdleNode_whileTheWorkersOfTheOtherAreBusy() throws Exception {
    var goOn = new CountDownLatch(1);
    try {
      for (int i = 0; i < 100; i++) { // one holds the worker, the others wait for it
        b.runtime()
            .spawn(
                (Process)
                    (_, out) -> {
                      goOn.await();
                      out.done();
                    });
      }
      var idle = Place.anywhere().leastLoaded();
      int inARow = 0;
      while (inARow < IN_A_ROW) { // until both have told of their load
        Pid started = a.requestSpawn("worker", StartOptions.defaults(), idle).get(4, MINUTES);
        inARow = started.node().equals("c") ? inARow + 1 : 0;
      }
    } finally {
      goOn.countDown();
    }
  }
}
