// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.wire.NodeLife;

/// Writes down each end of a session of this node while it ends: nothing is accepted for that
/// session any more, and the next one with that node has not opened.
///
/// So of two messages of which one was accepted before the end and the other one after it, each is
/// known to belong to its session.
final class SoakSessions implements ClusterNode.Part {
  private static final long IDLE_NANOS = 60_000_000_000L;

  private final NodeLife self;
  private final SoakTraffic traffic;
  private final SoakDeeds deeds;

  private SoakSessions(NodeLife self, SoakTraffic traffic, SoakDeeds deeds) {
    this.self = self;
    this.traffic = traffic;
    this.deeds = deeds;
  }

  static void writeDown(ClusterNode node, SoakTraffic traffic, SoakDeeds deeds) {
    node.add(new SoakSessions(node.self(), traffic, deeds));
  }

  @Override
  public String name() {
    return "soak";
  }

  @Override
  public void opened(NodeLife node) {}

  @Override
  public void received(NodeLife from, byte[] content) {}

  @Override
  public void ended(NodeLife node) {
    SoakTraffic.Accepted last = traffic.accepted(node.node());
    deeds.write(
        new Deed(
            self.node(),
            Kind.SESSION_ENDED,
            System.nanoTime(),
            0,
            node.node(),
            node.life(),
            self.life(),
            last.number(),
            last.mayBeOneMore() ? 1 : 0));
  }

  @Override
  public long run() {
    return System.nanoTime() + IDLE_NANOS; // it has nothing to do
  }
}
