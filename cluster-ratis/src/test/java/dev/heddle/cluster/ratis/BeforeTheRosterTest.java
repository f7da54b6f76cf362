// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static dev.heddle.cluster.ratis.CountingNodes.LONG;
import static dev.heddle.cluster.ratis.CountingNodes.counters;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.Place;
import dev.heddle.cluster.ratis.CountingNodes.Add;
import dev.heddle.cluster.ratis.CountingNodes.Where;
import dev.heddle.process.Pid;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Names, singletons and shards of nodes that have joined before a majority of the voters was
/// there: all is refused, and the same calls succeed as soon as the voters have met.
@Timeout(300)
@Tag("C6")
class BeforeTheRosterTest {
  private static final Duration LEASE = Duration.ofSeconds(2); // a refusal comes after it

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Callable<@Nullable Object>> calls = new LinkedHashMap<>();

  @TempDir Path root;

  @Test
  @Tag("proc-158")
  void callsBeforeAMajority_areRefusedWithWhatIsMissing_andSucceedLater() throws Exception {
    try (var nodes = new CountingNodes(root, LEASE)) {
      addCalls(nodes.join("a")); // a voter
      addCalls(nodes.join("d")); // none
      Map<String, Future<?>> refused = new LinkedHashMap<>();
      calls.forEach((what, call) -> refused.put(what, threads.submit(call)));
      for (Map.Entry<String, Future<?>> each : refused.entrySet()) {
        assertThatThrownBy(() -> each.getValue().get(4, MINUTES))
            .as(each.getKey())
            .cause()
            .isInstanceOf(NoQuorumException.class)
            .hasMessageMatching(".*node '[ad]' (has|holds|knows) .*; try again.*");
      }
      nodes.join("b");
      nodes.join("c");
      for (Callable<?> call : calls.values()) {
        untilAMajority(call);
      }
      nodes.assertNothingWrong();
    } finally {
      threads.shutdownNow();
    }
  }

  private void addCalls(Cluster node) {
    String of = node.name();
    Pid pid = node.runtime().spawn((_, _) -> {});
    var shards = counters(node, "early");
    calls.put(of + " register", () -> node.names().register("name of " + of, pid));
    calls.put(of + " whereis", () -> node.names().whereis("name of " + of));
    calls.put(of + " lookup", () -> node.names().lookup("name of " + of));
    calls.put(
        of + " singleton",
        () -> node.singleton("one", "counter", null, Place.label("role", "nowhere")));
    calls.put(of + " send", () -> shards.of("k1").offer(new Add(of, 1)));
    calls.put(of + " ask", () -> shards.of("k1").ask(new Where(), LONG));
  }

  private static void untilAMajority(Callable<?> call) throws Exception {
    while (true) {
      try {
        Object _ = call.call();
        return;
      } catch (NoQuorumException _) {
        // safe: the test has a limit
      }
    }
  }
}
