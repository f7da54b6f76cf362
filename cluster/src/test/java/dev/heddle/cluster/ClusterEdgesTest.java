// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Calls at places where they cannot be carried out, or that cannot be carried out everywhere.
@Timeout(300)
class ClusterEdgesTest {
  private static ClusterOptions options(String name) throws Exception {
    int port = TestPorts.next();
    return ClusterOptions.named(name).bind("127.0.0.1", port).seeds("127.0.0.1:" + port);
  }

  /// Calls something in its first step.
  private record InStep(Callable<?> call, CompletableFuture<Throwable> failure) implements Process {
    @Override
    public void init(ProcessContext context, String method, Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      try {
        call.call();
        failure.completeExceptionally(new AssertionError("it was not refused"));
      } catch (Exception e) {
        failure.complete(e);
      }
      out.done(null);
    }
  }

  private static Throwable failureInStep(ProcessRuntime runtime, Callable<?> call)
      throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    runtime.spawn(new InStep(call, failure));
    return failure.get(2, TimeUnit.MINUTES);
  }

  @Test
  void join_inAStepOfAProcess_isRefused() throws Exception {
    ClusterOptions options = options("a");
    try (ProcessRuntime runtime = ProcessRuntime.builder().node("a").start()) {
      assertThat(failureInStep(runtime, () -> Cluster.join(runtime, options)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("join() would hold a worker");
      assertThat(failureInStep(runtime, () -> Cluster.join(options)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("join() would hold a worker");
      Cluster.join(runtime, options).close(); // the port is free
    }
  }

  @Test
  void join_twiceWithOneRuntime_isRefused_untilItHasLeft() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().node("a").start()) {
      Cluster first = Cluster.join(runtime, options("a"));
      ClusterOptions again = options("a");
      assertThatThrownBy(() -> Cluster.join(runtime, again))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'a' is in a cluster already");
      first.leave(Duration.ofMinutes(1));
      Cluster.join(runtime, again).close();
      Cluster.join(runtime, again).close(); // a refused join, or one that has left, keeps nothing
    }
  }

  @Test
  void join_thatFails_keepsNothing() throws Exception {
    try (Cluster other = Cluster.join(options("other"));
        ProcessRuntime runtime = ProcessRuntime.builder().node("a").start()) {
      var taken = ClusterOptions.named("a").bind("127.0.0.1", other.address().getPort());
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> Cluster.join(runtime, taken)).isInstanceOf(IOException.class);
      }
      Cluster.join(runtime, options("a")).close();
    }
  }

  @Test
  @SuppressWarnings("try") // the early close is what is tested
  void shutdown_withAnActionThatFails_leavesNevertheless() throws Exception {
    BlockingQueue<ClusterChange> changes = new LinkedBlockingQueue<>();
    try (Cluster other = Cluster.join(options("other"));
        ProcessRuntime runtime = ProcessRuntime.builder().node("a").start()) {
      var seed = "127.0.0.1:" + other.address().getPort();
      Cluster.join(runtime, options("a").seeds(seed));
      runtime.beforeShutdown(() -> {
        throw new IllegalStateException("as if");
      });
      ClusterTest.awaitUp(other, "a");
      other.onChange(changes::add);
      var _ = runtime.shutdown(Duration.ofMinutes(1));
      assertThat(changes.poll(1, TimeUnit.MINUTES)).isInstanceOf(ClusterChange.Up.class);
      assertThat(changes.poll(1, TimeUnit.MINUTES)).isInstanceOf(ClusterChange.Left.class);
    }
  }

  @Test
  void nodes_afterLeave_sayThatThisOneHasLeft() throws Exception {
    Cluster cluster = Cluster.join(options("a"));
    assertThat(cluster.nodes().getFirst().state()).isEqualTo(NodeInfo.State.UP);
    cluster.close();
    assertThat(cluster.nodes().getFirst().state()).isEqualTo(NodeInfo.State.LEFT);
  }

  @Test
  void close_inABodyOfAProcess_leavesAndSaysThatTheRuntimeGoesOn() throws Exception {
    Cluster cluster = Cluster.join(options("a"));
    int port = cluster.address().getPort();
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    cluster
        .runtime()
        .spawn(
            CoroutineProcess.ofAction(_ -> {
              try {
                cluster.close();
                failure.completeExceptionally(new AssertionError("it was not refused"));
              } catch (IllegalStateException e) {
                failure.complete(e);
              }
            }));
    assertThat(failure.get(2, TimeUnit.MINUTES))
        .hasMessageContainingAll("node 'a' has left the cluster", "its runtime goes on");
    var again = ClusterOptions.named("b").bind("127.0.0.1", port).seeds("127.0.0.1:" + port);
    Cluster.join(again).close(); // it listens no more
    cluster.close();
  }

  private record Unregistered(Object value) {}

  @Test
  void spawn_whatDoesNotTravel_isRefusedAtThisNodeToo() throws Exception {
    try (Cluster cluster =
        Cluster.join(options("a").entry("x", () -> CoroutineProcess.ofAction(_ -> {})))) {
      Place here = Place.on("a");
      var input = StartOptions.defaults().withInput(new Unregistered("x"));
      assertThatThrownBy(() -> cluster.spawn("x", input, here))
          .isInstanceOf(NotSendableException.class);
      ThrowingCallable otherEntryPoint =
          () -> cluster.spawn("x", StartOptions.defaults().withEntryPoint("other"), here);
      assertThatThrownBy(otherEntryPoint)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reach another node");
      assertThat(cluster.spawn("x", StartOptions.defaults().withInput(1), here)).isNotNull();
    }
  }

  @Test
  void group_withoutAName_orWithOneThatIsTooLong_isRefusedAtOnce() throws Exception {
    try (Cluster cluster = Cluster.join(options("a"))) {
      for (String name : new String[] {"", "x".repeat(1_025), "\u20ac".repeat(342)}) {
        assertThatThrownBy(() -> cluster.group(name))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("the name of a group has 1 to 1024 bytes");
      }
      assertThatThrownBy(() -> cluster.group(null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("the name of a group");
    }
  }

  @Test
  void onChange_closed_isCalledNoMore() throws Exception {
    try (Cluster cluster = Cluster.join(options("a"))) {
      BlockingQueue<Group.Change> removed = new LinkedBlockingQueue<>();
      BlockingQueue<Group.Change> kept = new LinkedBlockingQueue<>();
      Group group = cluster.group("g");
      var registration = group.onChange(removed::add);
      group.onChange(kept::add);
      registration.close();
      registration.close();
      group.join(cluster.runtime().spawn(CoroutineProcess.ofAction(_ -> {})));
      assertThat(kept.poll(1, TimeUnit.MINUTES)).isNotNull();
      assertThat(removed).isEmpty();
      BlockingQueue<ClusterChange> changes = new LinkedBlockingQueue<>();
      cluster.onChange(changes::add).close();
      int seed = cluster.address().getPort();
      int port = TestPorts.next();
      var other = ClusterOptions.named("b").bind("127.0.0.1", port).seeds("127.0.0.1:" + seed);
      try (Cluster _ = Cluster.join(other)) {
        ClusterTest.awaitUp(cluster, "b");
      }
      assertThat(changes).isEmpty();
    }
  }
}
