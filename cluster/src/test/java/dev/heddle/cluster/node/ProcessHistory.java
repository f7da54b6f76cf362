// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static dev.heddle.cluster.node.SimulatedNode.check;

import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the processes of a simulation have done: messages and requests are numbers, each used once.
final class ProcessHistory {
  /// The messages of one direction of a session.
  static final class Flow {
    long accepted;
    long delivered;
    final Map<Pid, Long> last = new HashMap<>(); // by receiver
    final Set<Pid> nearlyFull = new HashSet<>(); // the receivers that a message has left so
  }

  private record Direction(SessionId session, NodeLife from) {}

  /// A request that has not ended.
  static final class Ask {
    final Pid to;
    final NodeLife from;
    final SessionId session;
    private @Nullable Runnable closed;

    Ask(Pid to, NodeLife from, SessionId session) {
      this.to = to;
      this.from = from;
      this.session = session;
    }
  }

  private final Map<Direction, Flow> flows = new HashMap<>();
  private final Map<Long, Flow> sent = new HashMap<>(); // by number
  private final Map<Pid, List<Flow>> fillers = new HashMap<>(); // that have left it nearly full
  final Map<Long, Ask> asks = new LinkedHashMap<>(); // by number; those that have not ended
  private final Map<NodeLife, Set<Long>> asked = new HashMap<>(); // their numbers, by who asks
  final Map<Pid, SimulatedProcess> processes = new HashMap<>(); // also those that have ended
  final Map<NodeLife, Long> started = new HashMap<>(); // how many
  final Set<Pid> crashed = new LinkedHashSet<>(); // with their nodes
  private long number;
  long answered;

  boolean hasEnded(Pid pid) {
    SimulatedProcess process = processes.get(pid);
    return process == null || process.exit != null || crashed.contains(pid);
  }

  Flow flow(SessionId session, NodeLife from) {
    return flows.computeIfAbsent(new Direction(session, from), _ -> new Flow());
  }

  // ---- messages ----

  /// The number of a message that is about to be sent.
  long next(Flow flow) {
    sent.put(++number, flow);
    return number;
  }

  void delivered(SimulatedProcess to, long message) {
    Flow flow = Objects.requireNonNull(sent.remove(message), () -> "C1: " + message + " again");
    Long before = flow.last.put(to.self(), message);
    check(
        before == null || before < message,
        () -> "C2: %s got %d after %d".formatted(to.self(), message, before));
    flow.delivered++;
    if (to.isNearlyFull() && flow.nearlyFull.add(to.self())) {
      fillers.computeIfAbsent(to.self(), _ -> new ArrayList<>()).add(flow);
    }
  }

  void drained(SimulatedProcess process) {
    process.drain();
    List<Flow> filled = fillers.remove(process.self());
    if (filled != null) {
      filled.forEach(flow -> flow.nearlyFull.remove(process.self()));
    }
  }

  // ---- requests ----

  /// The number of a request that is about to be sent.
  long next(Ask ask) {
    asks.put(++number, ask);
    asked.computeIfAbsent(ask.from, _ -> new LinkedHashSet<>()).add(number);
    return number;
  }

  /// The first request of a node that has not ended; null for none.
  @Nullable Long firstOf(NodeLife asker) {
    Set<Long> open = asked.getOrDefault(asker, Set.of());
    return open.isEmpty() ? null : open.iterator().next();
  }

  /// A request is over, or was not sent.
  @Nullable Ask remove(long request) {
    Ask ask = asks.remove(request);
    if (ask != null) {
      Objects.requireNonNull(asked.get(ask.from)).remove(request);
    }
    return ask;
  }

  void onClosed(long request, Runnable action) {
    Ask ask = asks.get(request);
    if (ask == null) {
      action.run();
    } else {
      ask.closed = action;
    }
  }

  /// A request has ended: with an answer, a failure, or since its asker has given up.
  ///
  /// @return the process that was asked
  Pid ended(long request) {
    Ask ask = remove(request);
    check(ask != null, () -> "C5: request " + request + " has ended twice");
    Ask known = Objects.requireNonNull(ask);
    answered++;
    if (known.closed != null) {
      known.closed.run();
    }
    return known.to;
  }
}
