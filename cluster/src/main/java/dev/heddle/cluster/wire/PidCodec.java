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
  static final int MORE = -1;

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
    int bits = bits(pid);
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

  /// The octet that [#write] writes before the number of a PID; MORE when it writes more than these
  /// two.
  int octetBeforeNumber(Pid pid) {
    int bits = bits(pid);
    return (bits & (NODE | HOST | LIFE)) == 0 ? bits : MORE;
  }

  private int bits(Pid pid) {
    NodeLife node = lifeOf(pid.node());
    if (node == null) {
      return NODE | HOST | LIFE;
    }
    return (node == sender ? 0 : RECEIVER)
        | (pid.host().equals(node.host()) ? 0 : HOST)
        | (pid.incarnation() == node.life() ? 0 : LIFE);
  }

  private @Nullable NodeLife lifeOf(String node) {
    if (node.isEmpty() || node.equals(sender.node())) {
      return sender;
    }
    return receiver != null && node.equals(receiver.node()) ? receiver : null;
  }

  Pid read(WireInput in) throws MalformedPacketException {
    return read(in, null);
  }

  /// Reads a PID.
  ///
  /// @param last is returned when it is the same one again: most messages of a packet have one
  ///   receiver
  Pid read(WireInput in, @Nullable Pid last) throws MalformedPacketException {
    int bits = in.bits(RECEIVER | NODE | HOST | LIFE);
    NodeLife known = (bits & RECEIVER) != 0 ? receiver : sender;
    boolean named = (bits & NODE) != 0;
    if (known == null || (named && bits != (NODE | HOST | LIFE))) {
      throw in.malformed("wrong bits 0x%02x of a PID".formatted(bits));
    }
    String node = named ? in.nonEmptyName() : known.node();
    String host = (bits & HOST) != 0 ? in.nonEmptyName() : known.host();
    int life = (bits & LIFE) != 0 ? in.number(Integer.MAX_VALUE, "an incarnation") : known.life();
    long id = in.varint();
    if (last != null
        && last.id() == id
        && last.incarnation() == life
        && last.node().equals(node)
        && last.host().equals(host)) {
      return last;
    }
    return new Pid(node, host, id, life);
  }
}
