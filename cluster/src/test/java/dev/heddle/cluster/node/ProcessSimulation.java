// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static dev.heddle.cluster.node.SimulatedNode.check;

import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.node.ProcessHistory.Ask;
import dev.heddle.cluster.node.ProcessHistory.Flow;
import dev.heddle.cluster.node.SimulatedNode.Peer;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/// A [ClusterSimulation] whose nodes have processes, which end. They send and ask each other,
/// monitor and link each other, start children, and are in groups:
///
/// - C1, C2, C3: the messages of a session come once, in order for each receiver; those that have
///   not come were refused, or the session has ended;
/// - C4: each monitor fires once, each link breaks once; an exit that is told is true;
/// - C5: each request ends once, by its answer, a true failure or its asker; when the faults have
///   ended, those that are open are open at both nodes;
/// - C7: each node has the members of all nodes that it is in session with;
/// - C9: what is sent to a process whose mailbox is nearly full is refused at the sender's node;
/// - C10: a child ends 8 s after the last packet of its parent's node has come.
final class ProcessSimulation extends ClusterSimulation {
  private record Start(SimulatedNode asker, CompletableFuture<Pid> pid) {}

  private static final String GROUP = "room";
  private static final int LATEST = 8; // of a node, which others send to; some have ended

  private final ProcessHistory processes = new ProcessHistory();
  private final List<Start> starts = new ArrayList<>();
  long fired;
  long children;

  ProcessSimulation(long seed) {
    super(seed);
  }

  long answered() {
    return processes.answered;
  }

  @Override
  SimulatedNode node(NodeLife life, String place) {
    SimulatedNode node =
        new SimulatedNode(life, network.engine(place), network, random.split(), history, processes);
    for (int i = 0; i < 4; i++) {
      SimulatedProcess _ = of(node).start();
    }
    return node;
  }

  private static SimulatedProcesses of(SimulatedNode node) {
    return Objects.requireNonNull(node.processes);
  }

  private static RemoteNode remote(Peer peer) {
    return Objects.requireNonNull(peer.remote);
  }

  /// Mostly few: that tries more histories in the same time.
  @Override
  int size() {
    return 3 + random.nextInt(1 + random.nextInt(5));
  }

  // ---- traffic ----

  @Override
  void traffic() {
    for (SimulatedNode node : nodes) {
      if (node.runs()) {
        checkChildren(node);
        List<SimulatedProcess> own = ownOf(node);
        List.copyOf(node.open.values()).forEach(peer -> traffic(node, any(own), peer));
        group(node, any(own));
        live(node, any(own));
      }
    }
  }

  private static List<SimulatedProcess> ownOf(SimulatedNode node) {
    return of(node).living.values().stream().filter(it -> it.parent == null).toList();
  }

  private SimulatedProcess any(List<SimulatedProcess> of) {
    return of.get(random.nextInt(of.size()));
  }

  /// A process of a node: one of its latest, an old life, or none.
  private Pid target(RemoteNode remote) {
    NodeLife other = remote.other();
    if (random.nextInt(20) == 0) {
      return processes.crashed.stream()
          .filter(it -> it.node().equals(other.node()))
          .findFirst()
          .orElse(new Pid(other.node(), other.host(), 0, other.life())); // no process has 0
    }
    long number = processes.started.get(other) - random.nextInt(LATEST);
    return new Pid(other.node(), other.host(), Math.max(1, number), other.life());
  }

  private void traffic(SimulatedNode node, SimulatedProcess one, Peer peer) {
    RemoteNode remote = remote(peer);
    Pid target = target(remote);
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        long _ = remote.monitor(one, target, ref -> one.monitors.put(ref, target));
      }
      case 2 -> {
        one.linked.add(target);
        remote.link(one, target);
      }
      case 3 -> {
        StartOptions child = StartOptions.defaults().withParent(one.self()).linked();
        starts.add(new Start(node, remote.spawn("child", child)));
      }
      default -> ask(node, peer, target);
    }
    Flow flow = processes.flow(peer.link.id(), node.life);
    Pid receiver = target(remote);
    for (int i = random.nextInt(6); i > 0; i--) {
      SendResult result = remote.send(receiver, processes.next(flow));
      check(
          result == SendResult.NOT_FOUND || receiver.incarnation() == remote.other().life(),
          () -> "C4: %s for %s in a session with %s".formatted(result, receiver, remote.other()));
      if (result == SendResult.ACCEPTED) {
        flow.accepted++;
      }
    }
  }

  private void ask(SimulatedNode node, Peer peer, Pid target) {
    long number = processes.next(new Ask(target, node.life, peer.link.id()));
    SendResult result = remote(peer).send(target, of(node).requestOf(number));
    if (result != SendResult.ACCEPTED) {
      Ask _ = processes.remove(number);
    }
  }

  private void group(SimulatedNode node, SimulatedProcess process) {
    Groups groups = Objects.requireNonNull(node.groups);
    if (random.nextInt(3) == 0) {
      boolean _ = groups.leave(GROUP, process.self());
    } else {
      groups.join(GROUP, process.self());
    }
  }

  /// A process of a node takes its messages, answers, or ends; an asker gives up.
  private void live(SimulatedNode node, SimulatedProcess one) {
    switch (random.nextInt(5)) {
      case 0 -> processes.drained(one);
      case 1 ->
          List.copyOf(one.requests.entrySet()).forEach(it -> it.getValue().complete(it.getKey()));
      case 2 -> {
        Long open = processes.firstOf(node.life);
        if (open != null) {
          Pid _ = processes.ended(open);
        }
      }
      default -> {
        of(node).end(one, random.nextBoolean() ? Exit.Reason.NORMAL : Exit.Reason.FAILED);
        SimulatedProcess _ = of(node).start();
      }
    }
  }

  // ---- C10, at any time ----

  private void checkChildren(SimulatedNode node) {
    for (SimulatedProcess process : of(node).living.values()) {
      if (process.parent != null && process.processLinks().links().contains(process.parent)) {
        Peer peer = node.open.get(process.parent.node());
        check(
            peer != null && peer.other.life().life() == process.parent.incarnation(),
            () ->
                "C10: %s lives, and the session with its parent has ended"
                    .formatted(process.self()));
        Objects.requireNonNull(peer).checkNotOverdue();
        children++;
      }
    }
  }

  // ---- the judgement at the end ----

  @Override
  void judge() {
    super.judge();
    nodes.forEach(node -> node.open.values().forEach(peer -> judgePaused(node, peer)));
    for (int i = 0; i == 0 || isAnyHeld(); i++) {
      check(i < 100, "C9: messages are held although there is space");
      nodes.forEach(node -> of(node).living.values().forEach(processes::drained));
      pass(SECOND / 20);
    }
    for (SimulatedNode node : nodes) {
      checkChildren(node);
      of(node).living.values().forEach(process -> judge(node, process));
      node.open.values().forEach(peer -> judgeFlow(node, peer));
      judgeGroup(node);
    }
    processes.asks.forEach(this::judgeAsk);
    check(
        starts.stream().allMatch(it -> it.asker.crashed || it.pid.isDone()),
        "C5: a start has not ended");
  }

  private boolean isAnyHeld() {
    return nodes.stream()
        .flatMap(node -> node.open.values().stream())
        .anyMatch(peer -> remote(peer).heldBytes() > 0);
  }

  private void judgePaused(SimulatedNode node, Peer peer) {
    Flow flow = processes.flow(peer.link.id(), node.life);
    for (Pid receiver : flow.nearlyFull) {
      SimulatedProcess process = Objects.requireNonNull(processes.processes.get(receiver));
      if (process.exit == null && process.isNearlyFull()) {
        SendResult result = remote(peer).send(receiver, 0L);
        check(
            result == SendResult.FULL,
            () -> "C9: %s for %s, nearly full".formatted(result, receiver));
      }
    }
  }

  private void judgeFlow(SimulatedNode node, Peer peer) {
    Flow flow = processes.flow(peer.link.id(), node.life);
    long refused = remote(peer).counters().refusedThere();
    check(
        flow.accepted == flow.delivered + refused,
        () ->
            "C3: of %d messages of %s in %s, %d have come and %d were refused"
                .formatted(flow.accepted, node.life, peer.link.id(), flow.delivered, refused));
  }

  private void judge(SimulatedNode node, SimulatedProcess process) {
    process.monitors.forEach((ref, _) -> judge(process, ref));
    List<Pid> links = process.processLinks().links();
    check(
        links.containsAll(process.linked),
        () ->
            "C4: of %s, links have vanished: %s are %s"
                .formatted(process.self(), process.linked, links));
    for (Pid other : links) {
      SimulatedProcess linked = processes.processes.get(other);
      check(
          isInSession(node, other)
              && linked != null
              && linked.exit == null
              && linked.processLinks().links().contains(process.self()),
          () -> "C4: %s is linked to %s, which is not".formatted(process.self(), other));
    }
    process
        .requests
        .keySet()
        .forEach(request -> {
          check(
              processes.asks.containsKey(request),
              () ->
                  "C5: %s was not told that request %d is given up"
                      .formatted(process.self(), request));
        });
  }

  private static boolean isInSession(SimulatedNode node, Pid with) {
    Peer peer = node.open.get(with.node());
    return peer != null && peer.other.life().life() == with.incarnation();
  }

  private void judge(SimulatedProcess watcher, long monitor) {
    Pid target = Objects.requireNonNull(watcher.monitors.get(monitor));
    SimulatedProcess process = processes.processes.get(target);
    boolean lives =
        process != null && process.exit == null && nodes.stream().anyMatch(it -> isOf(it, target));
    Exit down = watcher.downs.get(monitor);
    check(
        down != null || lives, () -> "C4: %s was not told of %s".formatted(watcher.self(), target));
    if (down != null) {
      fired++;
      boolean isTrue =
          switch (down.reason()) {
            case NO_CONNECTION -> true;
            case NOT_FOUND -> processes.hasEnded(target);
            default ->
                process != null && process.exit != null && process.exit.reason() == down.reason();
          };
      check(isTrue, () -> "C4: %s was told of %s: %s".formatted(watcher.self(), target, down));
    }
  }

  private void judgeAsk(long number, Ask ask) {
    for (SimulatedNode node : nodes) {
      if (node.life.equals(ask.from)) {
        Peer peer = node.open.get(ask.to.node());
        check(
            peer != null && peer.link.id().equals(ask.session),
            () -> "C5: request %d is open, its session is not".formatted(number));
        SimulatedProcess asked = processes.processes.get(ask.to);
        check(
            asked != null && asked.exit == null && asked.requests.containsKey(number),
            () -> "C5: request %d is open, and not at %s".formatted(number, ask.to));
      }
    }
  }

  private static boolean isOf(SimulatedNode node, Pid pid) {
    return node.life.life() == pid.incarnation() && node.life.node().equals(pid.node());
  }

  private void judgeGroup(SimulatedNode node) {
    List<Pid> expected = new ArrayList<>(ownMembers(node));
    for (Peer peer : node.open.values()) {
      nodes.stream()
          .filter(it -> it.life.equals(peer.other.life()))
          .forEach(it -> expected.addAll(ownMembers(it)));
    }
    List<Pid> members = Objects.requireNonNull(node.groups).members(GROUP);
    check(
        members.size() == expected.size() && members.containsAll(expected),
        () -> "C7: %s has %s, not %s".formatted(node.life, members, expected));
  }

  private static List<Pid> ownMembers(SimulatedNode node) {
    return Objects.requireNonNull(node.groups).members(GROUP).stream()
        .filter(it -> isOf(node, it))
        .toList();
  }
}
