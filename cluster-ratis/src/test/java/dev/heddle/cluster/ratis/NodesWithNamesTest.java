// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterNames;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.cluster.NameTakenException;
import dev.heddle.cluster.NamedRef;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.NodeInfo;
import dev.heddle.cluster.ShardOptions;
import dev.heddle.cluster.Shards;
import dev.heddle.ports.TestPorts;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StepOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Names of nodes in one JVM, over real sockets of loopback and the real log. Each test has nodes
/// of its own, and mostly waits for them. Recordings are of all nodes of the JVM: what a test looks
/// for in one has a name that no other test uses.
@Timeout(300)
@Tag("C6")
@Execution(ExecutionMode.CONCURRENT)
class NodesWithNamesTest {
  private static final List<String> VOTERS = List.of("a", "b", "c");
  private static final Duration LONG = Duration.ofMinutes(2); // no lease ends by itself in a test

  private static final Duration SHORT = Duration.ofSeconds(2);

  @TempDir Path root;

  /// Ends when it is asked to.
  private static final class Obedient implements Process {
    @Override
    public void init(ProcessContext context, String method, @Nullable Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request(var message, var reply)) {
          var _ = reply.complete(message);
        } else if (event.data() instanceof ProcessSignal.Cancel || "end".equals(event.data())) {
          out.done("ended");
        }
      }
    }
  }

  private final List<Integer> ports = new ArrayList<>();

  private ClusterOptions options(String name, Duration lease) throws IOException {
    while (ports.size() < 4) {
      ports.add(TestPorts.next());
    }
    return ClusterOptions.named(name)
        .bind("127.0.0.1", ports.get(name.charAt(0) - 'a'))
        .seeds(ports.stream().map(port -> "127.0.0.1:" + port).toArray(String[]::new))
        .voters("a", "b", "c")
        .lease(lease);
  }

  private Cluster voter(String name, Duration lease) throws IOException {
    return Cluster.join(options(name, lease).directory(root.resolve(name)));
  }

  private static Pid process(Cluster at) {
    return at.runtime().spawn(new Obedient());
  }

  private static void awaitSession(Cluster at, String name) {
    TestVoters.await(
        () -> "a session of " + at.name() + " with " + name + ": " + at.nodes(),
        () ->
            at.nodes().stream()
                .anyMatch(it -> name.equals(it.name()) && it.state() == NodeInfo.State.UP));
  }

  /// Tries again while there is no majority: the voters have to meet first.
  private static <T extends @Nullable Object> T again(Callable<T> action) throws Exception {
    while (true) {
      try {
        return action.call();
      } catch (NoQuorumException _) {
        TestVoters.pause(); // safe: the test has a limit
      }
    }
  }

  @Test
  void names_atVotersAndAnother_haveOneOwner_andGrowingTokens() throws Exception {
    try (Cluster a = voter("a", LONG);
        Cluster b = voter("b", LONG);
        Cluster c = voter("c", LONG);
        Cluster d = Cluster.join(options("d", LONG));
        var _ = LeaveAtOnce.of(a, b, c, d)) {
      Pid first = process(d);
      Pid second = process(a);
      long token = again(() -> d.names().register("mayor", first));
      assertThat(d.names().token("mayor")).hasValue(token);
      assertThat(again(() -> d.names().register("mayor", first))).isEqualTo(token);
      for (Cluster each : List.of(a, b, c, d)) {
        assertThat(again(() -> each.names().whereis("mayor"))).isEqualTo(first);
        assertThat(each.names().lookup("mayor")).isEqualTo(first);
      }
      ClusterNames names = a.names();
      assertThatThrownBy(() -> again(() -> names.register("mayor", second)))
          .isInstanceOfSatisfying(
              NameTakenException.class, taken -> assertThat(taken.owner()).isEqualTo(first));
      assertThatThrownBy(() -> names.register("mayor", first))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no living process of node 'a'");
      assertThat(d.names().unregister("mayor")).isTrue();
      assertThat(d.names().unregister("mayor")).isFalse();
      assertThat(d.names().token("mayor")).isEmpty();
      assertThat(names.whereis("mayor")).isNull();
      assertThat(again(() -> names.register("mayor", second))).isGreaterThan(token);
      a.runtime().send(second, "end");
      while (c.names().whereis("mayor") != null) {
        TestVoters.pause(); // the end of the owner gives the name back
      }
    }
  }

  private static NodeInfo seenBy(Cluster node, String name) {
    return node.nodes().stream().filter(it -> name.equals(it.name())).findFirst().orElseThrow();
  }

  private static void await(BooleanSupplier condition) {
    TestVoters.await("what the nodes show", condition);
  }

  @Test
  void nodes_showLeasesAndTheLeader_andThatANodeIsIsolated_whichIsRecorded() throws Exception {
    BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
    try (RecordingStream recording = new RecordingStream()) {
      recording.setReuse(false);
      recording.enable("dev.heddle.LeaseLost");
      recording.enable("dev.heddle.NameMoved");
      recording.onEvent(events::add);
      recording.startAsync();
      // It is no voter: a leader would judge the leases of all others by its own.
      try (Cluster d = Cluster.join(options("dora", SHORT))) {
        try (Cluster a = voter("a", LONG);
            Cluster b = voter("b", LONG);
            Cluster c = voter("c", LONG);
            var _ = LeaveAtOnce.of(a, b, c)) {
          Pid pid = process(a);
          long token = again(() -> a.names().register("judge", pid));
          List.of(a, b, c, d).forEach(NodesWithNamesTest::awaitNameAndLeader);
          assertThat(seenBy(a, "a").state()).isEqualTo(NodeInfo.State.UP);
          await(() -> seenBy(d, "dora").state() == NodeInfo.State.UP);
          RecordedEvent moved = nextMove(events, "c", "judge");
          assertThat(moved.getString("to")).isEqualTo("a");
          assertThat(moved.getLong("token")).isEqualTo(token);
        }
        await(() -> seenBy(d, "dora").state() == NodeInfo.State.ISOLATED); // no majority is left
        assertThat(seenBy(d, "dora").reason()).startsWith("it holds no lease any more: ");
        assertThat(next(events, "LeaseLost", "dora").getLong("admission")).isPositive();
      }
    }
  }

  @Test
  void nodes_showShardsAndEntitiesOfEachNode_andTheMovesAreRecorded() throws Exception {
    BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
    try (RecordingStream recording = new RecordingStream()) {
      recording.setReuse(false);
      recording.enable("dev.heddle.ShardMoved");
      recording.onEvent(events::add);
      recording.startAsync();
      try (Cluster a =
          Cluster.join(
              options("a", LONG)
                  .voters("a")
                  .entry("cart", Obedient::new)
                  .directory(root.resolve("a")))) {
        Shards carts = a.shards("cart", ShardOptions.entry("cart").count(16));
        await(() -> shardsOf(a, "a") == 16);
        RecordedEvent first = next(events, "ShardMoved", "a");
        assertThat(first.getString("type")).isEqualTo("cart");
        assertThat(first.getString("from")).isEmpty();
        assertThat(first.getString("to")).isEqualTo("a");
        assertThat(first.getLong("token")).isPositive();
        try (Cluster d =
            Cluster.join(options("d", LONG).voters("a").entry("cart", Obedient::new))) {
          Shards same = d.shards("cart", ShardOptions.entry("cart").count(16));
          await(() -> shardsOf(d, "d") > 0 && shardsOf(d, "a") + shardsOf(d, "d") == 16);
          await(() -> shardsOf(a, "d") == shardsOf(d, "d"));
          again(() -> same.of("k1").offer("text"));
          again(() -> carts.of("k2").offer("text"));
          await(() -> seenBy(a, "a").entities() + seenBy(a, "d").entities() == 2);
          await(() -> seenBy(d, "a").entities() + seenBy(d, "d").entities() == 2);
        }
        await(() -> shardsOf(a, "a") == 16);
        RecordedEvent back = next(events, "ShardMoved", "a");
        while (!back.getString("from").equals("d")) {
          back = next(events, "ShardMoved", "a");
        }
        assertThat(back.getString("to")).isEqualTo("a");
        assertThat(back.getLong("token")).isGreaterThan(first.getLong("token"));
      }
    }
  }

  private static int namesOf(Cluster from, String node) {
    NodeInfo.Lease lease = seenBy(from, node).lease();
    return lease == null ? 0 : lease.names();
  }

  /// None of a node that is not seen yet.
  private static int shardsOf(Cluster from, String node) {
    int owned = 0;
    for (NodeInfo each : from.nodes()) {
      NodeInfo.Lease lease = each.lease();
      owned += node.equals(each.name()) && lease != null ? lease.shards() : 0;
    }
    return owned;
  }

  private static void awaitNameAndLeader(Cluster node) {
    await(() -> node.nodes().stream().filter(NodeInfo::isLeader).count() == 1);
    await(() -> namesOf(node, "a") == 1);
  }

  private static RecordedEvent next(BlockingQueue<RecordedEvent> events, String name, String node)
      throws InterruptedException {
    while (true) {
      RecordedEvent event = events.take();
      if (event.getEventType().getName().equals("dev.heddle." + name)
          && node.equals(event.getString("node"))) {
        return event;
      }
    }
  }

  private static RecordedEvent nextMove(
      BlockingQueue<RecordedEvent> events, String node, String moved) throws InterruptedException {
    while (true) {
      RecordedEvent event = next(events, "NameMoved", node);
      if (moved.equals(event.getString("movedName"))) {
        return event;
      }
    }
  }

  @Test
  void leave_handsNamesOverAtOnce_alsoOfANodeThatIsNoVoter() throws Exception {
    try (Cluster a = voter("a", LONG);
        Cluster b = voter("b", LONG);
        Cluster c = voter("c", LONG);
        Cluster d = Cluster.join(options("d", LONG));
        var _ = LeaveAtOnce.of(a, b, c, d)) {
      Pid clerk = process(d);
      Pid mayor = process(a);
      again(() -> d.names().register("clerk", clerk));
      again(() -> a.names().register("mayor", mayor));
      d.leave(LONG);
      assertThat(d.runtime().whenExited(clerk).get(1, TimeUnit.MINUTES)).isNotNull();
      assertThat(again(() -> b.names().whereis("clerk"))).isNull();
      a.leave(LONG);
      assertThat(again(() -> b.names().whereis("mayor"))).isNull();
      assertThat(again(() -> c.names().register("mayor", process(c)))).isPositive();
    }
  }

  @Test
  void named_followsTheName() throws Exception {
    try (Cluster a = voter("a", LONG);
        Cluster b = voter("b", LONG);
        Cluster c = voter("c", LONG);
        Cluster d = Cluster.join(options("d", LONG));
        var _ = LeaveAtOnce.of(a, b, c, d)) {
      Pid first = process(a);
      Pid second = process(c);
      awaitSession(d, "a");
      awaitSession(d, "c");
      awaitSession(b, "c");
      NamedRef mayor = d.named("mayor");
      again(() -> a.names().register("mayor", first));
      assertThat(again(() -> mayor.<String>ask("a", LONG))).isEqualTo("a");
      assertThat(mayor.pid()).isEqualTo(first);
      mayor.send("end");
      while (d.names().whereis("mayor") != null) {
        TestVoters.pause(); // the end of the owner gives the name back
      }
      assertThat(mayor.offer("lost")).isEqualTo(SendResult.NOT_FOUND);
      assertThatThrownBy(() -> mayor.send("lost")).isInstanceOf(SendFailedException.class);
      assertThatThrownBy(() -> mayor.ask("lost", LONG)).isInstanceOf(SendFailedException.class);
      c.names().register("mayor", second);
      while (mayor.pid() == null) {
        TestVoters.pause(); // what this node knows is behind
      }
      assertThat(mayor.<String>ask("c", LONG)).isEqualTo("c");
      assertThat(b.names().whereis("mayor")).isEqualTo(second);
      assertThat(b.named("mayor").<String>ask("b", LONG)).isEqualTo("b");
    }
  }

  @Test
  @SuppressWarnings("try") // the early ends are what is tested
  void withoutAMajority_ownersEnd_andNothingIsAnswered() throws Exception {
    Duration lease = Duration.ofSeconds(4);
    try (Cluster a = voter("a", lease);
        Cluster b = voter("b", lease);
        Cluster c = voter("c", lease);
        var _ = LeaveAtOnce.of(a)) {
      Pid mayor = process(a);
      again(() -> a.names().register("mayor", mayor));
      c.leave(Duration.ZERO);
      b.leave(Duration.ZERO);
      Exit exit = a.runtime().whenExited(mayor).get(2, TimeUnit.MINUTES);
      assertThat(exit).isNotNull();
      assertThat(a.names().token("mayor")).isEmpty();
      Pid next = process(a);
      assertThatThrownBy(() -> a.names().register("mayor", next))
          .isInstanceOf(NoQuorumException.class)
          .hasMessageContaining("name 'mayor' is not registered: node 'a'")
          .hasMessageContaining("try again");
      assertThatThrownBy(() -> a.names().whereis("mayor")).isInstanceOf(NoQuorumException.class);
    }
  }

  @Test
  void join_directoryInUse_orOfAnother_saysByWhom() throws Exception {
    Duration lease = Duration.ofSeconds(8);
    try (Cluster a = voter("a", lease)) {
      ClusterOptions other = options("b", lease).directory(root.resolve("a"));
      assertThatThrownBy(() -> Cluster.join(other))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("node 'b' cannot use it: it is locked by", "node 'a'");
      assertThat(VOTERS).contains(a.name());
    }
    ClusterOptions other = options("b", lease).directory(root.resolve("a"));
    assertThatThrownBy(() -> Cluster.join(other))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the directory belongs to node 'a', node 'b' cannot use it");
  }
}
