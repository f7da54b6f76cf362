// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import dev.heddle.Action;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.net.SimulatedNetwork;
import dev.heddle.test.time.VirtualTurns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Several programs on the hosts of one simulated network: each in a loop of its own, all in the
/// same virtual time, and one at a time in an order that the seed decides.
///
/// {@snippet class=dev.heddle.test.node.NodeSnippetsTest region=group}
///
/// Virtual time covers what waits for Heddle and for the simulated network. What waits in the JDK
/// or for other threads does so in real time.
public final class NodeGroup {
  private final long seed;
  private final VirtualTurns turns;
  private final SimulatedNetwork network;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<SimulatedHost, SimulatedFiles> files = new HashMap<>();
  private final Queue<Thread> carriers = new ConcurrentLinkedQueue<>();

  // the builder of the group, then the holder of the turn
  private @Nullable Throwable failure;
  private int unfinished; // nodes that are not services
  private boolean began;

  /// A group without nodes.
  ///
  /// @param seed of all orders and all chance
  public NodeGroup(long seed) {
    this.seed = seed;
    this.turns = new VirtualTurns(seed);
    this.network = new SimulatedNetwork(turns, seed);
  }

  /// The network between the nodes.
  public SimulatedNetwork network() {
    return network;
  }

  /// The files of a host, which outlive the programs on it.
  public SimulatedFiles files(SimulatedHost host) {
    return files.computeIfAbsent(
        host, _ -> new SimulatedFiles(host.name(), seed ^ host.name().hashCode()));
  }

  /// The virtual time since the group has begun.
  public Duration elapsed() {
    return Duration.ofNanos(turns.nanoTime());
  }

  /// Adds a program that [#run] waits for.
  ///
  /// @param host on which it runs, one at a time
  /// @throws IllegalStateException when a program runs there already
  public Node node(SimulatedHost host, Action main) {
    unfinished++;
    return add(new Node(this, host, main, Node.Role.NODE));
  }

  /// Adds a program that serves others. It is asked to stop when all others have ended.
  ///
  /// @throws IllegalStateException when a program runs there already
  public Node service(SimulatedHost host, Action main) {
    return add(new Node(this, host, main, Node.Role.SERVICE));
  }

  private Node add(Node node) {
    boolean taken =
        nodes.stream().anyMatch(other -> other.isRunning() && other.host() == node.host());
    if (taken) {
      throw new IllegalStateException(
          "a program runs on the host " + node.host().name() + " already");
    }
    nodes.add(node);
    node.join();
    if (began) {
      node.start();
    }
    return node;
  }

  /// Runs all programs until those that are no services have ended. Once.
  ///
  /// @throws RuntimeException the first failure of a program, or the error that it was
  public void run() {
    if (began) {
      throw new IllegalStateException("a group of nodes runs once");
    }
    began = true;
    nodes.forEach(Node::start);
    turns.begin();
    boolean interrupted = false;
    for (Thread carrier = carriers.peek(); carrier != null; carrier = carriers.peek()) {
      try {
        carrier.join();
        carriers.remove(carrier);
      } catch (InterruptedException _) {
        interrupted = true;
        nodes.forEach(Node::interrupt);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    throwFailure();
  }

  private void throwFailure() {
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException("a node has failed", e);
    }
  }

  // ---- for nodes ----

  long seed() {
    return seed;
  }

  VirtualTurns turns() {
    return turns;
  }

  void started(Thread carrier) {
    carriers.add(carrier);
  }

  void failed(Throwable why) {
    if (failure == null) {
      failure = why;
    } else if (failure != why) {
      failure.addSuppressed(why);
    }
    nodes.forEach(Node::stop);
  }

  /// A program that had ended begins again.
  void restarted(Node node) {
    node.host().restart();
    unfinished += node.isService() ? 0 : 1;
    node.join();
    node.start();
  }

  /// A program that is no service has ended.
  void finished() {
    unfinished--;
    if (unfinished == 0) {
      nodes.forEach(Node::stop);
    }
  }
}
