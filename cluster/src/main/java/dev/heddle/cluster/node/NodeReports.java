// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.SendResult;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Tells the nodes in session each second what this one has to do and whom it sees, if that has
/// changed, and keeps what they tell.
///
/// **Thread** [#tick] one at a time, all else any. No method waits.
final class NodeReports {
  /*
   * A report is sent in the order of its session, and only when it is another one than the last
   * that the outbox has taken. So what a node has last told is at most a second old when it leaves,
   * or still true. When the outbox is full, the next second tries again.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.node");

  /// One session, with the last report in each direction.
  static final class Told {
    private final String node;
    private final FrameSink sink;
    private byte @Nullable [] sent; // tick only
    private volatile @Nullable NodeReport report; // written in the order of the session

    private Told(String node, FrameSink sink) {
      this.node = node;
      this.sink = sink;
    }

    /// The other node tells.
    void received(byte[] content) {
      try {
        report = NodeReport.decode(content);
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "ignored a report of node '" + node + "'", e);
      }
    }
  }

  private final String self;
  private final Supplier<NodeLoad> own;
  private final BooleanSupplier isLeader;
  private final IntSupplier entities;
  private final Map<String, Told> told = new ConcurrentHashMap<>(); // by name of the node
  private final BrokenPairs pairs = new BrokenPairs(); // tick only
  private volatile List<BrokenPairs.Pair> broken = List.of();

  /// @param own how much this node has to do now
  /// @param isLeader whether it leads the log of names
  /// @param entities how many run at this node
  NodeReports(String self, Supplier<NodeLoad> own, BooleanSupplier isLeader, IntSupplier entities) {
    this.self = self;
    this.own = own;
    this.isLeader = isLeader;
    this.entities = entities;
  }

  /// A session opens.
  Told opened(String node, FrameSink sink) {
    Told it = new Told(node, sink);
    told.put(node, it);
    return it;
  }

  /// The session with a node has ended.
  void ended(String node) {
    told.remove(node);
  }

  /// A second has passed.
  void tick(long now) {
    Set<String> sees = Set.copyOf(told.keySet());
    byte[] report =
        new NodeReport(own.get(), sees, isLeader.getAsBoolean(), entities.getAsInt()).encode();
    Map<String, Set<String>> views = new HashMap<>();
    views.put(self, sees);
    for (Told each : told.values()) {
      NodeReport last = each.report;
      if (last != null) {
        views.put(each.node, last.sees());
      }
      Frame.Service frame = new Frame.Service(NodeReport.SERVICE, report);
      if (!Arrays.equals(report, each.sent) && each.sink.send(frame) == SendResult.ACCEPTED) {
        each.sent = report;
      }
    }
    pairs.update(views, now);
    broken = pairs.settled(now);
  }

  /// The pairs of nodes that have been out of touch with each other for 10 s, as of the last
  /// second.
  List<BrokenPairs.Pair> broken() {
    return broken;
  }

  /// What a node has last told of its load.
  ///
  /// @return null when it has told nothing yet, or is not in session
  @Nullable NodeLoad load(String node) {
    if (node.equals(self)) {
      return own.get();
    }
    NodeReport report = last(node);
    return report == null ? null : report.load();
  }

  /// Whether another node leads the log of names, as it has last told.
  boolean isLeader(String node) {
    NodeReport report = last(node);
    return report != null && report.isLeader();
  }

  /// How many entities another node runs, as it has last told.
  int entities(String node) {
    NodeReport report = last(node);
    return report == null ? 0 : report.entities();
  }

  private @Nullable NodeReport last(String node) {
    Told it = told.get(node);
    return it == null ? null : it.report;
  }
}
