// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.JGroupsEngine;
import dev.heddle.cluster.name.NamesStatus;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a node sees of its cluster, for programs, tools and dumps. **Thread** any; nothing waits.
final class ClusterBean implements ClusterMXBean {
  private final ClusterOptions options;
  private final ClusterNode node;
  private final JGroupsEngine engine;
  private final Supplier<@Nullable NamesStatus> names;

  /// @param names supplies null without voters
  ClusterBean(
      ClusterOptions options,
      ClusterNode node,
      JGroupsEngine engine,
      Supplier<@Nullable NamesStatus> names) {
    this.options = options;
    this.node = node;
    this.engine = engine;
    this.names = names;
  }

  /// This node, the others, then addresses without success.
  List<NodeInfo> nodes() {
    NamesStatus owners = names.get();
    List<NodeInfo> all = new ArrayList<>();
    all.add(self(owners));
    node.nodes().forEach(status -> all.add(info(status, owners)));
    if (!node.isClosed()) {
      engine.refusedAddresses().forEach((address, why) -> all.add(refused(address, why)));
    }
    return all;
  }

  private NodeInfo self(@Nullable NamesStatus owners) {
    NodeInfo.State state = state(owners);
    return withoutSession(
        options.name(),
        node.self().life(),
        getAddress(),
        state,
        options.labels(),
        List.copyOf(options.entries().keySet()),
        node.isLeader(),
        lease(owners, options.name()),
        node.entities(),
        owners == null ? null : withoutLease(owners));
  }

  private NodeInfo.State state(@Nullable NamesStatus owners) {
    if (node.isClosed()) {
      return NodeInfo.State.LEFT;
    }
    NamesStatus.Lease lease = owners == null ? NamesStatus.Lease.HELD : owners.lease();
    if (node.isLeaving() || lease == NamesStatus.Lease.LEFT) {
      return NodeInfo.State.LEAVING;
    }
    return lease == NamesStatus.Lease.LOST ? NodeInfo.State.ISOLATED : NodeInfo.State.UP;
  }

  private static @Nullable String withoutLease(NamesStatus owners) {
    String why =
        owners.obstacle().isEmpty()
            ? "no majority of the voters %s has answered".formatted(owners.voters())
            : owners.obstacle();
    return switch (owners.lease()) {
      case HELD, LEFT -> null;
      case NONE -> "it holds no lease yet: " + why;
      case LOST -> "it holds no lease any more: " + why;
    };
  }

  private static NodeInfo.@Nullable Lease lease(@Nullable NamesStatus owners, String name) {
    NamesStatus.Member member = owners == null ? null : owners.members().get(name);
    return member == null
        ? null
        : new NodeInfo.Lease(Duration.ofNanos(member.ageNanos()), member.names(), member.shards());
  }

  private static NodeInfo refused(String address, String why) {
    return withoutSession(
        null, 0, address, NodeInfo.State.GREETING, Map.of(), List.of(), false, null, 0, why);
  }

  private NodeInfo info(NodeStatus status, @Nullable NamesStatus owners) {
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
        status.isLeader(),
        life == null ? null : lease(owners, life.node()),
        status.entities(),
        status.roundTrip(),
        status.outboxBytes(),
        status.unacknowledgedBytes(),
        status.windowBytes(),
        counters == null ? 0 : counters.heldBytes(),
        counters == null ? 0 : counters.pausedReceivers(),
        counters == null ? 0 : counters.refusedHere(),
        counters == null ? 0 : counters.refusedThere(),
        counters == null ? 0 : counters.dropped(),
        status.stalled(),
        status.refusal() == null ? status.last() : status.refusal(),
        status.endedAt());
  }

  private static NodeInfo withoutSession(
      @Nullable String name,
      int life,
      String address,
      NodeInfo.State state,
      Map<String, String> labels,
      List<String> entries,
      boolean isLeader,
      NodeInfo.@Nullable Lease lease,
      int entities,
      @Nullable String reason) {
    return new NodeInfo(
        name, life, address, state, labels, entries, isLeader, lease, entities, null, 0, 0, 0, 0, 0,
        0, 0, 0, false, reason, null);
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
    NodeInfo.Lease lease = it.lease();
    return new Node(
        Objects.requireNonNullElse(it.name(), ""),
        it.life(),
        it.address(),
        it.state().name(),
        it.labels(),
        lease == null ? -1 : lease.age().toMillis(),
        lease == null ? 0 : lease.names(),
        lease == null ? 0 : lease.shards(),
        it.entities(),
        roundTrip == null ? -1 : roundTrip.toNanos() / 1_000,
        it.outboxBytes(),
        it.unacknowledgedBytes(),
        it.windowBytes(),
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
  public List<String> getVoters() {
    NamesStatus owners = names.get();
    return owners == null ? List.of() : List.copyOf(owners.voters());
  }

  @Override
  public String getLeader() {
    return nodes().stream().filter(NodeInfo::isLeader).findFirst().map(NodeInfo::name).orElse("");
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
        getName(),
        getCluster(),
        getAddress(),
        getVoters(),
        nodes(),
        node.brokenPairs(),
        Clock.systemUTC());
  }
}
