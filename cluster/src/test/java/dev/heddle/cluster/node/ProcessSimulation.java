// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static dev.heddle.cluster.node.SimulatedNode.check;

import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.node.SimulatedNode.Peer;
import dev.heddle.cluster.node.SimulatedProcesses.Simulated;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// A [ClusterSimulation] whose nodes have processes that monitor each other and are in groups:
///
/// - C4: each monitor fires once at most; when the faults have ended, each whose process is gone
///   has; it tells the real exit only of a process that has ended;
/// - C7: each node then has the members of all nodes that it is in session with.
final class ProcessSimulation extends ClusterSimulation {
  private static final String GROUP = "room";

  private final Map<Pid, Simulated> all = new HashMap<>();
  long fired;

  ProcessSimulation(long seed) {
    super(seed);
  }

  @Override
  SimulatedNode node(NodeLife life, String place) {
    SimulatedProcesses processes = new SimulatedProcesses(life);
    SimulatedNode node =
        new SimulatedNode(life, network.engine(place), network, random.split(), history, processes);
    for (int i = 0; i < 4; i++) {
      start(node);
    }
    return node;
  }

  private void start(SimulatedNode node) {
    Simulated process = Objects.requireNonNull(node.processes).start();
    all.put(process.self(), process);
  }

  // ---- traffic ----

  @Override
  void traffic() {
    for (SimulatedNode node : nodes) {
      if (node.runs()) {
        List<Simulated> own = ownOf(node);
        node.open.values().forEach(peer -> monitor(any(own), Objects.requireNonNull(peer.remote)));
        group(node, any(own));
        if (random.nextInt(3) == 0) {
          Objects.requireNonNull(node.processes).end(any(own));
          start(node);
        }
      }
    }
  }

  private static List<Simulated> ownOf(SimulatedNode node) {
    return new ArrayList<>(Objects.requireNonNull(node.processes).living.values());
  }

  private Simulated any(List<Simulated> of) {
    return of.get(random.nextInt(of.size()));
  }

  private void monitor(Simulated watcher, RemoteNode remote) {
    NodeLife other = remote.other();
    Pid target = new Pid(other.node(), other.host(), 1 + random.nextInt(6), other.life());
    long _ = remote.monitor(watcher, target, ref -> watcher.monitors.put(ref, target));
  }

  private void group(SimulatedNode node, Simulated process) {
    Groups groups = Objects.requireNonNull(node.groups);
    if (random.nextInt(3) == 0) {
      boolean _ = groups.leave(GROUP, process.self());
    } else {
      groups.join(GROUP, process.self());
    }
  }

  // ---- the judgement at the end ----

  @Override
  void judge() {
    super.judge();
    for (SimulatedNode node : nodes) {
      ownOf(node).forEach(process -> process.monitors.forEach((ref, _) -> judge(process, ref)));
      judgeGroup(node);
    }
  }

  private void judge(Simulated watcher, long monitor) {
    Pid target = Objects.requireNonNull(watcher.monitors.get(monitor));
    Simulated process = all.get(target);
    boolean lives =
        process != null && process.exit == null && nodes.stream().anyMatch(it -> isOf(it, target));
    Exit down = watcher.downs.get(monitor);
    check(down != null || lives, "C4: %s was not told of %s".formatted(watcher.self(), target));
    if (down != null) {
      fired++;
      boolean isReal = down.reason() == Exit.Reason.NORMAL;
      check(
          !isReal || (process != null && process.exit != null),
          "C4: %s was told that %s has ended".formatted(watcher.self(), target));
    }
  }

  private static boolean isOf(SimulatedNode node, Pid pid) {
    return node.life.life() == pid.incarnation() && node.life.node().equals(pid.node());
  }

  private void judgeGroup(SimulatedNode node) {
    Set<Pid> expected = new HashSet<>(ownMembers(node));
    for (Peer peer : node.open.values()) {
      nodes.stream()
          .filter(it -> it.life.equals(peer.other.life()))
          .forEach(it -> expected.addAll(ownMembers(it)));
    }
    Set<Pid> members = new HashSet<>(Objects.requireNonNull(node.groups).members(GROUP));
    check(
        members.equals(expected), "C7: %s has %s, not %s".formatted(node.life, members, expected));
  }

  private static List<Pid> ownMembers(SimulatedNode node) {
    return Objects.requireNonNull(node.groups).members(GROUP).stream()
        .filter(it -> isOf(node, it))
        .toList();
  }
}
