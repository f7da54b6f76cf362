// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.EngineStacks;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.NameCache;

/// Drops what other nodes send to this one: a cut that needs no root. The connections stay open,
/// and nothing passes, as when a network drops packets. A cut both ways is one at each end.
///
/// It lies directly above the transport, so JGroups' own messages are dropped as well.
final class SoakCut extends Protocol {
  private volatile Set<String> cut = Set.of(); // names of nodes

  private SoakCut() {}

  /// Puts a cut, which drops nothing yet, into the engine of a node.
  static SoakCut into(Cluster cluster) {
    ProtocolStack stack = EngineStacks.of(cluster.engine());
    SoakCut made = new SoakCut();
    try {
      stack.insertProtocolInStack(made, stack.getTransport(), ProtocolStack.Position.ABOVE);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return made;
  }

  /// From now on drops what these nodes send, and nothing else.
  void from(Set<String> nodes) {
    cut = Set.copyOf(nodes);
  }

  /// While there is a cut, a sender whose name is not known yet is dropped, too.
  private boolean isCut(Address from) {
    Set<String> now = cut;
    if (now.isEmpty()) {
      return false;
    }
    String name = from == null ? null : NameCache.get(from);
    return name == null || now.contains(name);
  }

  @Override
  public Object up(Message message) {
    return isCut(message.getSrc()) ? null : up_prot.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    if (!isCut(batch.sender())) {
      up_prot.up(batch);
    }
  }
}
