// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static dev.heddle.cluster.ratis.CountingNodes.KEYS;
import static dev.heddle.cluster.ratis.CountingNodes.LONG;
import static dev.heddle.cluster.ratis.CountingNodes.await;
import static dev.heddle.cluster.ratis.CountingNodes.counters;
import static dev.heddle.cluster.ratis.CountingNodes.sender;
import static dev.heddle.cluster.ratis.CountingNodes.where;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.EntityFailedException;
import dev.heddle.cluster.EntityRef;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.RemoteFailure;
import dev.heddle.cluster.ShardOptions;
import dev.heddle.cluster.Shards;
import dev.heddle.cluster.ratis.CountingNodes.Add;
import dev.heddle.cluster.ratis.CountingNodes.At;
import dev.heddle.cluster.ratis.CountingNodes.Where;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.SendResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Shards of three nodes in one JVM, over real sockets of loopback and the real log. Each test has
/// shards of its own; [NodesWithShardsThatEndTest] has nodes of its own.
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodesWithShardsTest {
  private static final ShardOptions BACK =
      ShardOptions.entry("counter").count(32).label("role", "back");
  private static final ShardOptions QUICK =
      ShardOptions.entry("counter").count(4).passivateAfter(Duration.ZERO);

  private CountingNodes nodes;
  private Cluster a;
  private Cluster b;
  private Cluster c;

  @BeforeAll
  void join(@TempDir Path root) throws IOException {
    nodes = new CountingNodes(root, LONG);
    a = nodes.join("a");
    b = nodes.join("b");
    c = nodes.join("c");
    for (Cluster each : List.of(a, b)) { // so that they are settled when their tests begin
      Shards _ = each.shards("labelled", BACK);
      Shards _ = each.shards("quick", QUICK);
      Shards _ = counters(each, "moving");
      Shards _ = counters(each, "full");
    }
    Shards _ = counters(a, "counted");
  }

  @AfterAll
  void close() {
    nodes.close();
  }

  @Test
  @Tag("C6")
  @Tag("C8")
  void entities_areReachedFromEachNode_oneOfEachKey_andOneNodeAtLeastHostsNoneWithoutTheLabel()
      throws Exception {
    List<Shards> all = new ArrayList<>();
    for (Cluster node : List.of(a, b, c)) {
      all.add(node.shards("labelled", BACK));
    }
    Map<String, At> places = Map.of();
    do { // one has them all, until they move
      places = places(all.getFirst());
    } while (nodesOf(places).size() < 2
        || !places(all.get(1)).equals(places)
        || !places(all.get(2)).equals(places));
    assertThat(nodesOf(places)).containsExactlyInAnyOrder("a", "b");
    assertThat(all.get(2).running()).isZero();
    assertThat(all.get(0).running() + all.get(1).running()).isEqualTo(KEYS);
    for (int i = 0; i < 60; i++) { // each meets the end of the entity before
      Shards from = all.get(i % 3);
      assertThatThrownBy(() -> from.of("k1").ask("break", LONG))
          .isInstanceOf(EntityFailedException.class)
          .hasMessageContainingAll("entity 'k1' of 'labelled'", "has ended without a reply")
          .satisfies(it -> assertThat(causeOf(it)).contains("IllegalStateException: break"));
    }
    nodes.assertNothingWrong();
  }

  private static Map<String, At> places(Shards from) throws InterruptedException {
    Map<String, At> places = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      places.put("k" + i, where(from, "k" + i));
    }
    return places;
  }

  private static Set<String> nodesOf(Map<String, At> places) {
    return places.values().stream().map(At::node).collect(Collectors.toSet());
  }

  /// At the entity's own node the exceptions themselves; at another one their texts.
  private static String causeOf(Throwable failed) {
    return switch (failed.getCause()) {
      case NoReplyException it -> String.valueOf(it.getCause());
      case RemoteFailure it when it.type().equals(NoReplyException.class.getName()) ->
          it.remoteTrace();
      case null, default -> "";
    };
  }

  @Test
  void entity_withoutMessages_isPassivated_andStartedAgain() throws Exception {
    Shards fromA = a.shards("quick", QUICK);
    Shards fromB = b.shards("quick", QUICK);
    At first = where(fromA, "k");
    await(() -> fromA.running() + fromB.running() == 0);
    At second = where(fromB, "k");
    assertThat(second.life()).isGreaterThan(first.life());
    nodes.assertNothingWrong();
  }

  @Test
  @Tag("C8")
  void shards_moveWhenANodeJoinsAndLeaves_withoutLoss_inOrder() throws Exception {
    Shards fromA = counters(a, "moving");
    Shards fromB = counters(b, "moving");
    var _ = where(fromA, "k0");
    var _ = where(fromB, "k0");
    CountDownLatch stop = new CountDownLatch(1);
    List<CompletableFuture<Integer>> senders =
        List.of(sender(fromA, "a", stop), sender(fromB, "b", stop));
    Cluster d = nodes.join("d");
    Shards fromD = counters(d, "moving");
    await(() -> fromD.running() > 0);
    d.leave(Duration.ofMinutes(1));
    assertThat(fromD.running()).isZero();
    stop.countDown();
    int sent = 0;
    for (var sender : senders) {
      sent += sender.get(2, TimeUnit.MINUTES);
    }
    int all = sent;
    await(() -> nodes.added("moving") >= all);
    assertThat(nodes.added("moving")).isEqualTo(all);
    nodes.assertNothingWrong();
  }

  @Test
  @Tag("C9")
  void entityThatIsFull_refusesItsSenders_whoWaitInABody_andGoOn() throws Exception {
    Shards fromA = counters(a, "full");
    Shards fromB = counters(b, "full");
    var _ = where(fromA, "k");
    for (Shards from : List.of(fromA, fromB)) {
      while (!where(from, "other").equals(where(from, "other"))) {
        Thread.onSpinWait();
      }
      EntityRef full = from.of("k");
      int before = nodes.added("full");
      int accepted = 0;
      SendResult last = full.offer(new Add("gated", before + 1));
      while (last.isAccepted()) {
        accepted++;
        last = full.offer(new Add("gated", before + accepted + 1));
      }
      assertThat(accepted).isBetween(900, 1_010);
      assertThat(last).isEqualTo(SendResult.FULL);
      int next = before + accepted + 1;
      CompletableFuture<Boolean> sent = new CompletableFuture<>();
      var _ =
          a.runtime()
              .spawn(
                  CoroutineProcess.ofAction(_ -> {
                    full.send(new Add("gated", next)); // waits, unless one was just taken
                    sent.complete(true);
                  }));
      nodes.gate.release(accepted + 1);
      assertThat(sent.get(1, TimeUnit.MINUTES)).isTrue();
      await(() -> nodes.added("full") == next);
    }
    nodes.assertNothingWrong();
  }

  @Test
  void shards_withAnotherCount_areRefusedAtTheCaller_withBothCountsAndTheNodes() throws Exception {
    Shards fromA = counters(a, "counted");
    var _ = where(fromA, "k");
    ShardOptions other = ShardOptions.entry("counter").count(16);
    Shards fromC = null;
    try {
      fromC = c.shards("counted", other);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContainingAll("32", "16", "[a]", "node 'c'", "count(32)");
    }
    if (fromC != null) { // it did not know yet
      Shards early = fromC;
      await(() -> isRefused(early));
      assertThatThrownBy(() -> early.of("k").offer(new Where()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("32", "16", "[a]", "node 'c'", "count(32)");
    }
    Shards fromB = counters(b, "counted");
    At there = where(fromB, "k");
    assertThat(there.life()).isPositive();
    assertThatThrownBy(() -> fromB.of("k").ask("end", LONG))
        .isInstanceOf(EntityFailedException.class)
        .hasMessageContaining("has ended without a reply");
  }

  private static boolean isRefused(Shards shards) {
    try {
      var _ = shards.of("k").offer(new Where());
      return false;
    } catch (NoQuorumException _) {
      return false;
    } catch (IllegalStateException _) {
      return true;
    }
  }
}
