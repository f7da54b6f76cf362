// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.remote.LocalProcesses;

/// The shards of a running node.
public final class NodeShards implements AutoCloseable {
  /// The newest version of messages about shards that this release knows.
  public static final int MESSAGES = ShardMessageCodec.VERSION;

  private final ShardService service;
  private final Runnable removeListener;

  private NodeShards(ClusterNode node, ShardService service) {
    this.service = service;
    node.add(new Part(service));
    this.removeListener = node.onChange(change -> service.sessionChanged(change.node().node()));
  }

  /// Opens the shards of a node that is not started yet.
  ///
  /// @param writer of the messages to entities
  public static NodeShards open(
      ClusterNode node, LocalProcesses local, RosterAccess log, MessageWriter writer) {
    ShardService service =
        new ShardService(
            node.self(), local, log, writer, node::node, other -> version(node, other));
    log.add(service);
    return new NodeShards(node, service);
  }

  private static int version(ClusterNode node, String other) {
    Introduction says = node.introduction(other);
    return says == null ? MESSAGES : says.can().shardMessages(); // it has ended already
  }

  /// What they do.
  public ShardService service() {
    return service;
  }

  /// Fails what waits.
  @Override
  public void close() {
    removeListener.run();
    service.close();
  }

  /// Hands messages to the service. It compares sessions by itself; their reports come by a
  /// listener, since here they would come under a lock.
  private record Part(ShardService service) implements ClusterNode.Part {
    private static final long IDLE_NANOS = 60_000_000_000L;

    @Override
    public String name() {
      return ShardPeers.SERVICE;
    }

    @Override
    public int entities() {
      return service.types.values().stream().mapToInt(EntityType::running).sum();
    }

    @Override
    public void opened(NodeLife node) {}

    @Override
    public void received(NodeLife from, byte[] content) {
      service.received(from, content);
    }

    @Override
    public void ended(NodeLife node) {}

    @Override
    public long run() {
      return System.nanoTime() + IDLE_NANOS; // the log calls it: [RosterAccess.Part#tick]
    }
  }
}
