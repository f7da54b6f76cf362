// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.LoopbackNetwork;
import dev.heddle.cluster.node.SimulatedNode.History;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.SessionId;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/// Two nodes in virtual time, `a` and `b`, and the network between them.
final class SimulatedPair {
  final LoopbackNetwork network;
  final History history = new History();
  final SimulatedNode a;
  final SimulatedNode b;
  private final SplittableRandom random;

  SimulatedPair(long seed) {
    random = new SplittableRandom(seed);
    network = new LoopbackNetwork(random);
    a = node("a", 1);
    b = node("b", 2);
  }

  private SimulatedNode node(String name, int life) {
    return new SimulatedNode(
        new NodeLife(name, "main", life), network.engine(name), network, random.split(), history);
  }

  /// Lets time pass, and what is due until then happen.
  void pass(long nanos) {
    long end = network.now() + nanos;
    long next;
    while ((next = nextAt()) <= end) {
      network.advanceTo(next);
      for (SimulatedNode node : List.of(a, b)) {
        if (node.nextAt(next) <= next) {
          node.run(next);
        }
      }
    }
    network.advanceTo(end);
    if (history.failure != null) {
      throw history.failure;
    }
  }

  private long nextAt() {
    long now = network.now();
    long next = Math.min(network.nextAt(), Math.min(a.nextAt(now), b.nextAt(now)));
    return Math.max(next, now);
  }

  /// Carries nothing any more.
  void cut() {
    network.cut(a.engine.address(), b.engine.address());
    network.cut(b.engine.address(), a.engine.address());
  }

  /// The session that both are in.
  SessionId session() {
    SessionId id = Objects.requireNonNull(a.open.get("b")).link.id();
    assertThat(Objects.requireNonNull(b.open.get("a")).link.id()).isEqualTo(id);
    return id;
  }
}
