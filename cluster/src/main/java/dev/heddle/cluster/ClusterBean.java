// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.JGroupsEngine;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.node.NodeStatus;
import dev.heddle.cluster.peer.RemoteNode.Counters;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a node sees of its cluster, for programs, tools and dumps. **Thread** any; nothing waits.
final class ClusterBean implements ClusterMXBean {
  private final ClusterOptions options;
  private final ClusterNode node;
  private final JGroupsEngine engine;

  ClusterBean(ClusterOptions options, ClusterNode node, JGroupsEngine engine) {
    this.options = options;
    this.node = node;
    this.engine = engine;
  }

  /// This node, the others, then addresses without success.
  List<NodeInfo> nodes() {
    List<NodeInfo> all = new ArrayList<>();
    all.add(self());
    node.nodes().forEach(status -> all.add(info(status)));
    if (!node.isClosed()) {
      engine.refusedAddresses().forEach((address, why) -> all.add(refused(address, why)));
    }
    return all;
  }

  private NodeInfo self() {
    NodeInfo.State state =
        node.isClosed()
            ? NodeInfo.State.LEFT
            : node.isLeaving() ? NodeInfo.State.LEAVING : NodeInfo.State.UP;
    return info(
        options.name(),
        node.self().life(),
        getAddress(),
        state,
        options.labels(),
        List.copyOf(options.entries().keySet()),
        null);
  }

  private static NodeInfo refused(String address, String why) {
    return info(null, 0, address, NodeInfo.State.GREETING, Map.of(), List.of(), why);
  }

  private NodeInfo info(NodeStatus status) {
    NodeLife life = status.node();
    Introduction says = life == null ? null : node.introduction(life.node());
    Counters counters = status.counters();
    return new NodeInfo(
        life == null ? null : life.node(),
        life == null ? 0 : life.life(),
        status.address(),
        switch (status.state()) {
          case UP -> NodeInfo.State.UP;
          case LEAVING -> NodeInfo.State.LEAVING;
          case GREETING -> NodeInfo.State.GREETING;
          case LOST -> NodeInfo.State.LOST;
          case LEFT -> NodeInfo.State.LEFT;
        },
        status.labels(),
        says == null ? List.of() : says.entries(),
        status.roundTrip(),
        status.outboxBytes(),
        status.unacknowledgedBytes(),
        counters == null ? 0 : counters.heldBytes(),
        counters == null ? 0 : counters.pausedReceivers(),
        counters == null ? 0 : counters.refusedHere(),
        counters == null ? 0 : counters.refusedThere(),
        counters == null ? 0 : counters.dropped(),
        status.stalled(),
        status.refusal() == null ? status.last() : status.refusal(),
        status.endedAt());
  }

  private static NodeInfo info(
      @Nullable String name,
      int life,
      String address,
      NodeInfo.State state,
      Map<String, String> labels,
      List<String> entries,
      @Nullable String reason) {
    return new NodeInfo(
        name, life, address, state, labels, entries, null, 0, 0, 0, 0, 0, 0, 0, false, reason,
        null);
  }

  // ---- for tools ----

  @Override
  public String getName() {
    return options.name();
  }

  @Override
  public String getCluster() {
    return options.cluster();
  }

  @Override
  public String getAddress() {
    InetSocketAddress at = engine.bound();
    return at == null ? "" : at.getAddress().getHostAddress() + ":" + at.getPort();
  }

  @Override
  public int getNodesInTouch() {
    return node.introductions().size();
  }

  @Override
  public List<Node> getNodes() {
    return nodes().stream().map(ClusterBean::row).toList();
  }

  private static Node row(NodeInfo it) {
    Duration roundTrip = it.roundTrip();
    Instant endedAt = it.endedAt();
    return new Node(
        Objects.requireNonNullElse(it.name(), ""),
        it.life(),
        it.address(),
        it.state().name(),
        it.labels(),
        roundTrip == null ? -1 : roundTrip.toNanos() / 1_000,
        it.outboxBytes(),
        it.unacknowledgedBytes(),
        it.heldBytes(),
        it.pausedReceivers(),
        it.refusedHere(),
        it.refusedThere(),
        it.dropped(),
        it.isStalled(),
        Objects.requireNonNullElse(it.reason(), ""),
        endedAt == null ? 0 : endedAt.toEpochMilli());
  }

  @Override
  public List<String> getBrokenPairs() {
    return node.brokenPairs().stream().map(pair -> pair.one() + " and " + pair.other()).toList();
  }

  @Override
  public String table() {
    return view().text();
  }

  @Override
  public String dumpJson() {
    return view().json();
  }

  /// All of it, at one moment.
  ClusterView view() {
    return new ClusterView(
        getName(), getCluster(), getAddress(), nodes(), node.brokenPairs(), Clock.systemUTC());
  }
}
