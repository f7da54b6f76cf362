// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Three nodes in one JVM, over real connections, as users join them.
class ClusterTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private record Say(String text) {}

  /// Answers with what it was started with and what it was asked; ends when told to.
  private static final class Echo extends CoroutineProcess {
    @Override
    protected @Nullable Object run(@Nullable Object input) throws InterruptedException {
      while (true) {
        switch (receive()) {
          case Request request when request.message() instanceof Say(String text) ->
              request.reply().complete(input + ":" + text);
          case Say(String text) when text.equals("end") -> {
            return "done";
          }
          default -> {}
        }
      }
    }
  }

  /// Keeps what it gets.
  private static final class Collector extends CoroutineProcess {
    private final BlockingQueue<Object> got = new LinkedBlockingQueue<>();

    @Override
    protected @Nullable Object run(@Nullable Object input) throws InterruptedException {
      while (true) {
        got.add(receive());
      }
    }
  }

  private final Cluster a = join("a");
  private final Cluster b = join("b");
  private final Cluster c = join("c");

  private static Cluster join(String name) {
    return Cluster.joinLoopback(
        ClusterOptions.named(name)
            .cluster("cluster-test")
            .labels(Map.of("zone", name.equals("c") ? "far" : "near"))
            .messages(Say.class)
            .entry("echo", Echo::new));
  }

  @AfterEach
  void end() {
    c.close();
    b.close();
    a.close();
  }

  private static void awaitUp(Cluster at, String... others) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    Runnable look =
        () -> {
          var up = at.nodes().stream().filter(n -> n.state() == NodeState.UP).map(NodeInfo::name);
          if (up.toList().containsAll(java.util.List.of(others))) {
            all.complete(null);
          }
        };
    at.onChange(_ -> look.run());
    look.run();
    all.orTimeout(LIMIT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS).join();
  }

  @Test
  @Tag("proc-219")
  void processes_ofThreeNodes_areStartedAskedMonitoredAndGrouped() throws Exception {
    awaitUp(a, "b", "c");
    awaitUp(b, "a", "c");
    awaitUp(c, "a", "b");
    Pid there = a.spawn("echo", StartOptions.defaults().withInput("far"), Place.label("zone", "far")).get();
    assertThat(there.node()).isEqualTo("c");
    ProcessRuntime runtime = a.runtime();
    assertThat((String) runtime.ask(there, new Say("hi"), LIMIT)).isEqualTo("far:hi");

    CompletableFuture<Exit> exit = runtime.whenExited(there);
    runtime.send(there, new Say("end"));
    assertThat(exit.get().reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(exit.get().result()).isEqualTo("done");

    Collector one = new Collector();
    Collector two = new Collector();
    b.group("room").join(b.runtime().spawn(one));
    c.group("room").join(c.runtime().spawn(two));
    CompletableFuture<Void> both = new CompletableFuture<>();
    Runnable look =
        () -> {
          if (a.group("room").members().size() == 2) {
            both.complete(null);
          }
        };
    a.group("room").onChange(_ -> look.run());
    look.run();
    both.get(LIMIT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
    assertThat(a.group("room").publish(new Say("all"))).isEqualTo(2);
    assertThat(one.got.take()).isEqualTo(new Say("all"));
    assertThat(two.got.take()).isEqualTo(new Say("all"));
  }

  @Test
  @Tag("proc-220")
  void node_thatLeaves_isReportedToMonitorsAndEndsNoProcess() throws Exception {
    awaitUp(a, "b");
    Pid there = a.spawn("echo", StartOptions.defaults(), Place.on("b")).get();
    CompletableFuture<Exit> exit = a.runtime().whenExited(there);
    CompletableFuture<NodeEvent> left = new CompletableFuture<>();
    a.onChange(event -> {
      if (event.node().equals("b") && event.state() != NodeState.UP) {
        left.complete(event);
      }
    });
    b.leave(LIMIT);
    assertThat(exit.get().reason()).isEqualTo(Exit.Reason.NO_CONNECTION);
    assertThat(left.get().state()).isEqualTo(NodeState.LEFT);
    assertThat(b.runtime().offer(there, new Say("still here")).isAccepted()).isTrue();
  }

  @Test
  void spawn_whereNoNodeFits_saysWhatWasAskedFor() {
    assertThatThrownBy(() -> a.spawn("echo", StartOptions.defaults(), Place.on("nowhere")).join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("echo")
        .hasMessageContaining("nowhere");
  }

  @Test
  void join_whereOthersReachItWithoutCertificates_saysWhatToDo() {
    assertThatThrownBy(() -> Cluster.join(ClusterOptions.named("x").bind("0.0.0.0", 7600)))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("certificates")
        .hasMessageContaining("insecure()")
        .hasMessageContaining("./heddle cluster certs");
  }
}
