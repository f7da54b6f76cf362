// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes with real runtimes and threads, over engines in memory.
@Timeout(300)
final class ClusterNodeTest {
  private static final Duration SOON = Duration.ofSeconds(RunningNode.GUARD_SECONDS);

  private final LocalEngines engines = new LocalEngines();
  private final List<RunningNode> nodes = new ArrayList<>();

  private RunningNode start(String cluster, String name, Engine engine) {
    RunningNode node = new RunningNode(cluster, name, engine);
    nodes.add(node);
    return node;
  }

  private RunningNode start(String name) {
    return start("shop", name, engines.engine(name));
  }

  private static void awaitSession(RunningNode a, RunningNode b) throws InterruptedException {
    a.awaitSession(b.node.self().node());
    b.awaitSession(a.node.self().node());
  }

  @AfterEach
  void close() {
    nodes.forEach(RunningNode::close);
  }

  @Test
  @Tag("C2")
  @Tag("C4")
  void processes_ofThreeNodes_sendAskMonitorAndLink() throws InterruptedException {
    RunningNode a = start("a");
    RunningNode b = start("b");
    RunningNode c = start("c");
    awaitSession(a, b);
    awaitSession(a, c);
    awaitSession(b, c);
    Pid ofA = a.spawn();
    Pid ofB = b.spawn();
    Pid ofC = c.spawn();

    for (int i = 0; i < 1_000; i++) {
      a.runtime.send(ofB, "message " + i);
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(b.take()).isEqualTo("message " + i);
    }
    assertThat(a.runtime.<Object>ask(ofC, "question", SOON)).isEqualTo("question");

    long _ = a.in(ofA, self -> self.monitor(ofB));
    boolean _ =
        c.in(
            ofC,
            self -> {
              self.link(ofA);
              return true;
            });
    a.runtime.send(ofB, "fail"); // behind the monitor, in the same session
    assertThat(a.take())
        .isInstanceOfSatisfying(
            ProcessSignal.Down.class,
            down -> assertThat(down.exit().reason()).isEqualTo(Exit.Reason.FAILED));
    c.runtime.send(ofC, "fail");
    assertThat(a.take()).isInstanceOf(ProcessSignal.class);
  }

  @Test
  @Tag("C4")
  @Tag("C5")
  void nodeThatIsGone_monitorsHearNoConnection() throws InterruptedException {
    RunningNode a = start("a");
    Engine engineOfB = engines.engine("b");
    RunningNode b = start("shop", "b", engineOfB);
    awaitSession(a, b);
    Pid ofA = a.spawn();
    Pid ofB = b.spawn();
    long _ = a.in(ofA, self -> self.monitor(ofB));

    engines.kill(engineOfB);

    assertThat(a.awaitEnd("b").cause()).isIn(Cause.NO_ANSWER, Cause.SILENCE);
    assertThat(a.take())
        .isInstanceOfSatisfying(
            ProcessSignal.Down.class,
            down -> assertThat(down.exit().reason()).isEqualTo(Exit.Reason.NO_CONNECTION));
    assertThat(a.runtime.offer(ofB, "late")).isEqualTo(SendResult.UNREACHABLE);
    assertThatThrownBy(() -> a.runtime.ask(ofB, "late", SOON)).isInstanceOf(Exception.class);
    assertThat(a.node.nodes())
        .anySatisfy(it -> assertThat(it.state()).isEqualTo(NodeStatus.State.LOST));
  }

  @Test
  void listener_thatThrowsAnError_stopsNoNode() throws InterruptedException {
    RunningNode a = start("a");
    Runnable _ =
        a.node.onChange(_ -> {
          throw new AssertionError("of a listener");
        });
    RunningNode b = start("b");
    awaitSession(a, b);

    b.node.leave(SOON);

    assertThat(a.awaitEnd("b").cause()).isEqualTo(Cause.LEFT);
  }

  @Test
  void leave_afterMessages_theyAreDelivered() throws InterruptedException {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);
    Pid ofB = b.spawn();
    for (int i = 0; i < 10_000; i++) {
      a.runtime.send(ofB, "message " + i);
    }

    a.node.leave(SOON);

    assertThat(b.awaitEnd("a").cause()).isEqualTo(Cause.LEFT);
    for (int i = 0; i < 10_000; i++) {
      assertThat(b.take()).isEqualTo("message " + i);
    }
    assertThat(b.node.nodes())
        .anySatisfy(it -> assertThat(it.state()).isEqualTo(NodeStatus.State.LEFT));
  }

  /// Else the other node would count it as lost, if its connection closes before that was read.
  @Test
  void leave_waitsUntilTheOtherNodesKnow() throws InterruptedException {
    AtomicInteger lost = new AtomicInteger(3); // of its GOODBYEs
    RunningNode a = start("shop", "a", new LosingEngine(engines.engine("a"), lost));
    RunningNode b = start("b");
    awaitSession(a, b);

    a.node.leave(SOON);

    assertThat(lost).hasNonPositiveValue();
    assertThat(b.awaitEnd("a").cause()).isEqualTo(Cause.LEFT);
  }

  /// Loses so many packets that say GOODBYE.
  private record LosingEngine(Engine engine, AtomicInteger left) implements Engine {
    @Override
    public void open(Listener listener) throws IOException {
      engine.open(listener);
    }

    @Override
    public Address address() {
      return engine.address();
    }

    @Override
    public void send(Address to, byte[] packet, Urgency urgency) {
      if (!isGoodbye(packet) || left.getAndDecrement() <= 0) {
        engine.send(to, packet, urgency);
      }
    }

    private static boolean isGoodbye(byte[] bytes) {
      try {
        Packet packet = Packet.parse(bytes);
        return packet.urgent() && packet.content() instanceof Urgent.Goodbye;
      } catch (MalformedPacketException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void forget(Address address) {
      engine.forget(address);
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  @Test
  void leave_aSecondTimeWithLessTime_doesNotCutTheFirst() throws InterruptedException {
    while (!hasLeftTwice(new LocalEngines())) {
      nodes.forEach(RunningNode::close); // their session ended before: once more
    }
  }

  /// @return false when what was sent had no ack for 6 s, which ends a session
  private boolean hasLeftTwice(LocalEngines own) throws InterruptedException {
    PausedEngine engine = new PausedEngine(own.engine("a"));
    RunningNode a = start("shop", "a", engine);
    RunningNode b = start("shop", "b", own.engine("b"));
    awaitSession(a, b);
    Pid ofB = b.spawn();
    engine.pause();
    a.runtime.send(ofB, "message");
    CountDownLatch leaves = new CountDownLatch(1);
    a.node.add(new AtLeaving(a.node, leaves));
    Thread first = Thread.ofPlatform().daemon().start(() -> leave(a, SOON));
    leaves.await();
    List<NodeStatus> whileItLeaves = a.node.nodes();

    Thread second = Thread.ofPlatform().daemon().start(() -> leave(a, Duration.ZERO));
    while (second.isAlive() && second.getState() != Thread.State.WAITING) {
      boolean _ = second.join(Duration.ofMillis(1)); // until it waits for the first, or has cut it
    }
    engine.resume();

    first.join();
    second.join();
    assertThat(a.node.isClosed()).isTrue();
    if (b.awaitEnd("a").cause() != Cause.LEFT) {
      return false;
    }
    assertThat(whileItLeaves)
        .anySatisfy(it -> assertThat(it.state()).isEqualTo(NodeStatus.State.LEAVING));
    assertThat(b.take()).isEqualTo("message");
    return true;
  }

  /// Tells when the agent runs while the node leaves.
  private record AtLeaving(ClusterNode node, CountDownLatch leaves) implements ClusterNode.Part {
    @Override
    public String name() {
      return "at leaving";
    }

    @Override
    public void opened(NodeLife node) {}

    @Override
    public void received(NodeLife from, byte[] content) {}

    @Override
    public void ended(NodeLife node) {}

    @Override
    public long run() {
      if (node.isLeaving()) {
        leaves.countDown();
      }
      return Long.MAX_VALUE;
    }
  }

  private static void leave(RunningNode node, Duration limit) {
    try {
      node.node.leave(limit);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void nodes_inSession_haveLabelsAndEntries() throws InterruptedException {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);

    assertThat(a.node.nodes())
        .singleElement()
        .satisfies(it -> {
          assertThat(it.node()).isEqualTo(b.node.self());
          assertThat(it.state()).isEqualTo(NodeStatus.State.UP);
          assertThat(it.labels()).containsEntry("zone", "b");
        });
    assertThat(a.node.introduction("b"))
        .satisfies(
            it -> assertThat(it.entries()).containsExactlyInAnyOrder("obedient", "slow", "given"));
  }

  /// Its address was listed a second time, as one that is greeted, until the end of the step that
  /// opens the session.
  @Test
  void nodeWhoseSessionOpens_isListedOnce() throws InterruptedException {
    List<String> twice = new CopyOnWriteArrayList<>();
    List<RunningNode> all = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "d", "e")) {
      RunningNode next = start(name);
      all.add(next);
      next.node.add(
          new Looking() {
            @Override
            public void opened(NodeLife node) {
              List<String> addresses =
                  next.node.nodes().stream().map(NodeStatus::address).sorted().toList();
              if (addresses.size() != Set.copyOf(addresses).size()) {
                twice.add(node.node() + " in " + addresses);
              }
            }
          });
    }
    for (RunningNode one : all) {
      for (RunningNode other : all) {
        if (one != other) {
          one.awaitSession(other.node.self().node());
        }
      }
    }
    assertThat(twice).isEmpty();
  }

  private abstract static class Looking implements ClusterNode.Part {
    @Override
    public String name() {
      return "looking";
    }

    @Override
    public void received(NodeLife from, byte[] content) {}

    @Override
    public void ended(NodeLife node) {}

    @Override
    public long run() {
      return System.nanoTime() + 1_000_000_000;
    }
  }

  @Test
  void spawn_atAnotherNode_runsThere() throws Exception {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);

    Pid pid = a.node.node("b").spawn("obedient", StartOptions.defaults()).get();
    a.runtime.send(pid, "hello");

    assertThat(pid.node()).isEqualTo("b");
    assertThat(b.take()).isEqualTo("hello");
  }

  @Test
  void service_toAnotherNode_comesWithItsSender() throws InterruptedException {
    RunningNode a = start("a");
    RunningNode b = start("b");
    awaitSession(a, b);

    assertThat(a.node.send("b", new Frame.Service("roster", new byte[1])))
        .isEqualTo(SendResult.ACCEPTED);
    assertThat(a.node.send("nobody", new Frame.Service("roster", new byte[1])))
        .isEqualTo(SendResult.UNREACHABLE);

    assertThat(b.take()).isEqualTo("a says roster");
  }

  @Test
  void start_twice_isRefused() {
    RunningNode a = start("a");

    assertThatThrownBy(a.node::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("RUNNING");
  }
}
