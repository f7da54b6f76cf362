// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static dev.heddle.cluster.ratis.CountingNodes.KEYS;
import static dev.heddle.cluster.ratis.CountingNodes.LONG;
import static dev.heddle.cluster.ratis.CountingNodes.await;
import static dev.heddle.cluster.ratis.CountingNodes.counters;
import static dev.heddle.cluster.ratis.CountingNodes.sender;
import static dev.heddle.cluster.ratis.CountingNodes.where;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.Shards;
import dev.heddle.cluster.ratis.CountingNodes.At;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Shards of nodes that leave the cluster, or end without a word: the long form of
/// [NodesWithShardsTest].
@Timeout(300)
@Tag("full") // a lease has to end, and a node that has left joins again and again
class NodesWithShardsThatEndTest {
  private static final int ROUNDS = 3;

  @Test
  @Tag("C8")
  void shards_moveWhenNodesJoinAndLeave_alsoAVoter_withoutLoss_inOrder(@TempDir Path root)
      throws Exception {
    try (CountingNodes nodes = new CountingNodes(root, LONG)) {
      Shards fromA = counters(nodes.join("a"), "counter");
      Shards fromB = counters(nodes.join("b"), "counter");
      Cluster c = nodes.join("c");
      var _ = where(fromA, "k0");
      var _ = where(fromB, "k0");
      CountDownLatch stop = new CountDownLatch(1);
      List<CompletableFuture<Integer>> senders =
          List.of(sender(fromA, "a", stop), sender(fromB, "b", stop));
      for (int round = 0; round < ROUNDS; round++) {
        comeAndGo(nodes.join("d"));
      }
      comeAndGo(c);
      stop.countDown();
      int sent = 0;
      for (var sender : senders) {
        sent += sender.get(2, TimeUnit.MINUTES);
      }
      int all = sent;
      await(() -> nodes.added("counter") >= all);
      assertThat(nodes.added("counter")).isEqualTo(all);
      nodes.assertNothingWrong();
    }
  }

  /// A node hosts shards, and leaves.
  private static void comeAndGo(Cluster node) throws InterruptedException {
    Shards there = counters(node, "counter");
    await(() -> there.running() > 0);
    node.leave(Duration.ofMinutes(1));
    assertThat(there.running()).isZero();
  }

  @Test
  @Tag("C6")
  void shards_ofANodeThatEndsWithoutAWord_areOwnedByOthers_whenItsLeaseIsOver(@TempDir Path root)
      throws Exception {
    try (CountingNodes nodes = new CountingNodes(root, Duration.ofSeconds(4))) {
      Shards fromA = counters(nodes.join("a"), "counter");
      var _ = counters(nodes.join("b"), "counter");
      var _ = counters(nodes.join("c"), "counter");
      Cluster d = nodes.join("d");
      var _ = counters(d, "counter");
      List<String> ofD = new ArrayList<>();
      while (ofD.isEmpty()) {
        for (int i = 0; i < KEYS; i++) {
          if (where(fromA, "k" + i).node().equals("d")) {
            ofD.add("k" + i);
          }
        }
      }
      At before = where(fromA, ofD.getFirst());
      d.leave(Duration.ZERO); // no time to hand anything over
      At after = where(fromA, ofD.getFirst());
      assertThat(after.node()).isNotEqualTo("d");
      assertThat(after.token()).isGreaterThan(before.token());
      nodes.assertNothingWrong();
    }
  }
}
