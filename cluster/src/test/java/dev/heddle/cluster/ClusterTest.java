// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes in one JVM, over real sockets of loopback.
@Timeout(600)
class ClusterTest {
  record Add(int a, int b) {}

  record Sum(int value) {}

  /// Answers sums, and ends at the text `end`.
  static final class Adder implements Process {
    @Override
    public void init(ProcessContext context, String method, Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request request
            && request.message() instanceof Add(int a, int b)) {
          request.reply().complete(new Sum(a + b));
        } else if ("end".equals(event.data())) {
          out.done("ended");
        }
      }
    }
  }

  private static ClusterOptions options(String name, int port, int... seeds) {
    return ClusterOptions.named(name)
        .bind("127.0.0.1", port)
        .seeds(
            java.util.Arrays.stream(seeds)
                .mapToObj(one -> "127.0.0.1:" + one)
                .toArray(String[]::new))
        .messages(Add.class, Sum.class)
        .entry("adder", Adder::new);
  }

  /// Waits until a node is in touch.
  static BlockingQueue<ClusterChange> changes(Cluster cluster) {
    BlockingQueue<ClusterChange> changes = new LinkedBlockingQueue<>();
    cluster.onChange(changes::add);
    return changes;
  }

  static void awaitUp(Cluster cluster, String node) throws InterruptedException {
    BlockingQueue<ClusterChange> changes = changes(cluster);
    while (cluster.nodes().stream()
        .noneMatch(one -> node.equals(one.name()) && one.state() == NodeInfo.State.UP)) {
      changes.poll(100, TimeUnit.MILLISECONDS); // the listener may have come too late for it
    }
  }

  @Test
  void twoNodes_spawnAskMonitorAndLeave() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (Cluster one = Cluster.join(options("a", a, a, b).labels(Map.of("role", "front")));
        Cluster two = Cluster.join(options("b", b, a, b).labels(Map.of("role", "back")))) {
      awaitUp(one, "b");
      Pid adder = one.spawn("adder", StartOptions.defaults(), Place.on("b"));
      assertThat(adder.node()).isEqualTo("b");
      assertThat(one.runtime().<Sum>ask(adder, new Add(2, 3), ofMinutes(2))).isEqualTo(new Sum(5));
      Pid back = one.spawn("adder", StartOptions.defaults(), Place.label("role", "back"));
      assertThat(back.node()).isEqualTo("b");
      Pid front = one.spawn("adder", StartOptions.defaults(), Place.label("role", "front"));
      assertThat(one.runtime().<Sum>ask(front, new Add(1, 1), ofMinutes(2))).isEqualTo(new Sum(2));
      BlockingQueue<ClusterChange> changes = changes(one);
      two.leave(ofMinutes(1));
      assertThat(changes.poll(3, TimeUnit.MINUTES)).isInstanceOf(ClusterChange.Up.class);
      assertThat(changes.poll(3, TimeUnit.MINUTES))
          .isInstanceOf(ClusterChange.Left.class)
          .extracting(ClusterChange::node)
          .isEqualTo("b");
    }
  }
}
