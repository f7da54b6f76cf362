// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static dev.heddle.cluster.node.SimulatedNode.check;

import dev.heddle.cluster.engine.LoopbackNetwork;
import dev.heddle.cluster.engine.LoopbackNetwork.Faults;
import dev.heddle.cluster.node.SimulatedNode.History;
import dev.heddle.cluster.node.SimulatedNode.Peer;
import dev.heddle.cluster.node.SimulatedNode.Stream;
import dev.heddle.cluster.wire.NodeLife;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// A cluster in virtual time, whose network and nodes fail as a seed says. It judges the promises
/// of sessions:
///
/// - C1, C2: of each session and direction, a prefix of what was accepted is delivered, in order;
///   nothing after its end;
/// - C3: what was accepted is delivered, or the session has ended at its sender;
/// - one session with a node at a time; both sides have the same; a live node keeps its name;
/// - when the faults end, all living nodes are in session again.
class ClusterSimulation {
  private static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;

  final SplittableRandom random;
  final LoopbackNetwork network;
  final History history = new History();
  final List<SimulatedNode> nodes = new ArrayList<>();
  private int lives;
  private final int large;

  ClusterSimulation(long seed) {
    this.random = new SplittableRandom(seed);
    this.network = new LoopbackNetwork(random.split());
    this.large = seed % 40 == 0 ? 60_000 : 2_000;
  }

  private void start(String name, String place) {
    NodeLife life = new NodeLife(name, "main", ++lives);
    nodes.add(node(life, place));
  }

  SimulatedNode node(NodeLife life, String place) {
    return new SimulatedNode(life, network.engine(place), network, random.split(), history);
  }

  /// Runs to its end.
  void run() {
    int size = size();
    for (int i = 0; i < size; i++) {
      start("n" + i, "n" + i);
    }
    pass(500 * MILLI);
    int faults = 4 + random.nextInt(8);
    for (int i = 0; i < faults; i++) {
      fault();
      traffic();
      pass(random.nextLong(3 * SECOND));
      traffic();
      pass(random.nextInt(4) == 0 ? random.nextLong(8 * SECOND) : random.nextLong(SECOND));
    }
    heal();
    pass(quiet());
    traffic();
    pass(SECOND);
    judge();
  }

  /// How many nodes there are: 3 to 7.
  int size() {
    return 3 + random.nextInt(5);
  }

  /// How long nothing fails before all must be in session: a refused address is greeted each 15 s.
  long quiet() {
    return 18 * SECOND;
  }

  // ---- faults ----

  private void fault() {
    SimulatedNode one = any();
    SimulatedNode other = any();
    switch (random.nextInt(13)) {
      case 0 -> network.cut(one.engine.address(), other.engine.address());
      case 1 -> {
        network.cut(one.engine.address(), other.engine.address());
        network.cut(other.engine.address(), one.engine.address());
      }
      case 2 -> network.heal();
      case 3 -> one.pause();
      case 4 -> nodes.stream().filter(it -> it.paused).forEach(SimulatedNode::resume);
      case 5, 6 -> restart(one);
      case 7 -> start(one.life.node(), "double" + lives); // a second live node of that name
      case 8 -> one.engine.suspected(other.engine.address());
      case 9 -> network.faults(new Faults(0.02, 0.05, 0.05, 0.02));
      case 10 -> network.faults(new Faults(0, 0.2, 0.2, 0));
      case 11 -> one.engine.connectionClosed(other.engine.address());
      default -> network.faults(Faults.NONE);
    }
  }

  private SimulatedNode any() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  /// A node crashes, and starts again where it was or elsewhere.
  private void restart(SimulatedNode node) {
    nodes.remove(node);
    node.crash();
    if (random.nextInt(3) == 0) {
      pass(random.nextLong(9 * SECOND));
    }
    String place = node.engine.address().toString();
    start(node.life.node(), random.nextBoolean() ? place : "again" + lives);
  }

  private void heal() {
    network.faults(Faults.NONE);
    nodes.stream().filter(it -> it.paused).forEach(SimulatedNode::resume);
    network.heal();
  }

  // ---- traffic ----

  void traffic() {
    for (SimulatedNode node : nodes) {
      if (node.runs()) {
        List.copyOf(node.open.values()).forEach(peer -> send(node, peer));
      }
    }
  }

  private void send(SimulatedNode node, Peer peer) {
    for (int i = random.nextInt(4); i > 0; i--) {
      node.send(peer, random.nextInt(8) == 0 ? large : 8);
      if (random.nextInt(8) == 0) {
        node.down(peer);
      }
    }
  }

  // ---- time ----

  void pass(long nanos) {
    long end = network.now() + nanos;
    long next;
    while ((next = nextAt()) <= end) {
      network.advanceTo(next);
      for (SimulatedNode node : nodes) {
        if (node.runs() && node.nextAt(next) <= next) {
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
    long next = network.nextAt();
    for (SimulatedNode node : nodes) {
      if (node.runs()) {
        next = Math.min(next, node.nextAt(network.now()));
      }
    }
    return Math.max(next, network.now());
  }

  // ---- the judgement at the end ----

  void judge() {
    for (SimulatedNode node : nodes) {
      for (Peer peer : node.open.values()) {
        Stream sent = history.stream(peer.link.id(), node.life);
        check(
            sent.delivered == sent.accepted.size(),
            () ->
                "C3: %d of %d came from %s in %s, which is open"
                    .formatted(sent.delivered, sent.accepted.size(), node.life, peer.link.id()));
      }
      for (SimulatedNode other : nodes) {
        judge(node, other);
      }
    }
  }

  private void judge(SimulatedNode node, SimulatedNode other) {
    if (node.life.node().equals(other.life.node())) {
      check(!node.open.containsKey(other.life.node()), "in session with its own name");
      return;
    }
    Peer there = node.open.get(other.life.node());
    if (isAlone(node) && isAlone(other)) {
      check(there != null, () -> "%s is not in session with %s".formatted(node.life, other.life));
    }
    Peer back = other.open.get(node.life.node());
    if (there != null && there.other.life().equals(other.life)) {
      check(
          back != null && back.link.id().equals(there.link.id()),
          () ->
              "%s has %s with %s, which has another"
                  .formatted(node.life, there.link.id(), other.life));
    }
  }

  /// Whether no other living node has its name.
  private boolean isAlone(SimulatedNode node) {
    return nodes.stream().filter(it -> it.life.node().equals(node.life.node())).count() == 1;
  }
}
