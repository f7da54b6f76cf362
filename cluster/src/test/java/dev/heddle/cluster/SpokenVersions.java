// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.EngineStacks;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Message;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.NameCache;

/// Notes the version of the wire of the numbered packets that come from each node. It lies at the
/// top of the stack, so what it sees are the packets.
final class SpokenVersions extends Protocol {
  private static final int HEADER_BYTES = 40;

  private final Map<String, Integer> last = new ConcurrentHashMap<>(); // by node

  private SpokenVersions() {}

  static SpokenVersions into(Cluster cluster) {
    ProtocolStack stack = EngineStacks.of(cluster.engine());
    SpokenVersions made = new SpokenVersions();
    try {
      stack.insertProtocolInStack(made, stack.getTopProtocol(), ProtocolStack.Position.ABOVE);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return made;
  }

  /// That of the last packet of a node; 0 without one.
  int by(String node) {
    return last.getOrDefault(node, 0);
  }

  @Override
  public Object up(Message message) {
    note(message);
    return up_prot.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    batch.forEach(this::note);
    up_prot.up(batch);
  }

  private void note(Message message) {
    String node = message.getSrc() == null ? null : NameCache.get(message.getSrc());
    byte[] bytes = message.hasArray() ? message.getArray() : null;
    int at = message.getOffset();
    boolean isPacket = bytes != null && message.getLength() >= HEADER_BYTES && bytes[at] == 'H';
    if (node != null && isPacket && bytes[at + 3] == 0) { // no flags: a number
      last.put(node, (int) bytes[at + 2]);
    }
  }
}
