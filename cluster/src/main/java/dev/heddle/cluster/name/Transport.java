// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.roster.VoterTransport;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Packets between the logs of voters, over the sessions of their nodes.
///
/// **Thread** any.
final class Transport implements VoterTransport, ClusterNode.Part {
  private static final String NAME = "voters";

  private final ClusterNode node;
  private final Map<String, NodeLife> inSession = new ConcurrentHashMap<>();
  private volatile @Nullable BiConsumer<String, byte[]> receiver;
  private volatile Consumer<String> sessionEnds = _ -> {};

  Transport(ClusterNode node) {
    this.node = node;
  }

  @Override
  public boolean send(String voter, byte[] packet) {
    return node.send(voter, new Frame.Service(NAME, packet)).isAccepted();
  }

  @Override
  public int logFormat(String voter) {
    Introduction says = node.introduction(voter);
    return says == null ? 0 : says.can().logFormat();
  }

  @Override
  public void receive(BiConsumer<String, byte[]> to) {
    receiver = to;
  }

  @Override
  public void onSessionEnd(Consumer<String> listener) {
    sessionEnds = listener;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void opened(NodeLife other) {
    inSession.put(other.node(), other);
  }

  /// The last message of a session that has ended may still be on its way here: one of an earlier
  /// life is dropped.
  @Override
  public void received(NodeLife from, byte[] content) {
    BiConsumer<String, byte[]> to = receiver;
    if (to != null && from.equals(inSession.get(from.node()))) {
      to.accept(from.node(), content);
    }
  }

  @Override
  public void ended(NodeLife other) {
    inSession.remove(other.node(), other);
    sessionEnds.accept(other.node());
  }

  @Override
  public long run() {
    return Long.MAX_VALUE;
  }
}
