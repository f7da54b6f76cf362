// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Pid;
import org.jspecify.annotations.Nullable;

/// PIDs as bytes, in one direction of a session: those of the two nodes without their names. In a
/// message the receiver is not known, as one message may go to several nodes.
///
/// An octet of bits, then what they announce: 1 the node is the receiver, 2 the node is written,
/// else it is the sender; 4 the host is written, 8 the incarnation is written, else they are those
/// of the node. Then the number of the process.
final class PidCodec {
  static final int LEAST_BYTES = 2;

  private static final int RECEIVER = 1;
  private static final int NODE = 2;
  private static final int HOST = 4;
  private static final int LIFE = 8;

  private final NodeLife sender;
  private final @Nullable NodeLife receiver;

  /// @param receiver null when it is not known
  PidCodec(NodeLife sender, @Nullable NodeLife receiver) {
    this.sender = sender;
    this.receiver = receiver;
  }

  /// @param pid with an empty node for the sender
  void write(WireOutput out, Pid pid) {
    NodeLife node = lifeOf(pid.node());
    int bits = node == null ? NODE | HOST | LIFE : node == sender ? 0 : RECEIVER;
    if (node != null && !pid.host().equals(node.host())) {
      bits |= HOST;
    }
    if (node != null && pid.incarnation() != node.life()) {
      bits |= LIFE;
    }
    out.octet(bits);
    if ((bits & NODE) != 0) {
      out.name(pid.node());
    }
    if ((bits & HOST) != 0) {
      out.name(pid.host());
    }
    if ((bits & LIFE) != 0) {
      out.varint(pid.incarnation());
    }
    out.varint(pid.id());
  }

  private @Nullable NodeLife lifeOf(String node) {
    if (node.isEmpty() || node.equals(sender.node())) {
      return sender;
    }
    return receiver != null && node.equals(receiver.node()) ? receiver : null;
  }

  Pid read(WireInput in) throws MalformedPacketException {
    int bits = in.bits(RECEIVER | NODE | HOST | LIFE);
    NodeLife known = (bits & RECEIVER) != 0 ? receiver : sender;
    boolean named = (bits & NODE) != 0;
    if (known == null || (named && bits != (NODE | HOST | LIFE))) {
      throw in.malformed("wrong bits 0x%02x of a PID".formatted(bits));
    }
    String node = named ? in.nonEmptyName() : known.node();
    String host = (bits & HOST) != 0 ? in.nonEmptyName() : known.host();
    int life = (bits & LIFE) != 0 ? in.number(Integer.MAX_VALUE, "an incarnation") : known.life();
    return new Pid(node, host, in.varint(), life);
  }
}
