// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Pid;

/// PIDs as bytes, in one direction of a session: those of the two nodes without their names.
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
  private final NodeLife receiver;

  PidCodec(NodeLife sender, NodeLife receiver) {
    this.sender = sender;
    this.receiver = receiver;
  }

  /// @param pid with an empty node for the sender
  void write(WireOutput out, Pid pid) {
    boolean own = pid.node().isEmpty() || pid.node().equals(sender.node());
    boolean known = own || pid.node().equals(receiver.node());
    NodeLife node = own ? sender : receiver;
    int bits = own ? 0 : known ? RECEIVER : NODE;
    if (!known || !pid.host().equals(node.host())) {
      bits |= HOST;
    }
    if (!known || pid.incarnation() != node.life()) {
      bits |= LIFE;
    }
    out.octet(bits);
    if (!known) {
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

  Pid read(WireInput in) throws MalformedPacketException {
    int bits = in.bits(RECEIVER | NODE | HOST | LIFE);
    boolean named = (bits & NODE) != 0;
    if (named && bits != (NODE | HOST | LIFE)) {
      throw in.malformed("wrong bits 0x%02x of a PID".formatted(bits));
    }
    NodeLife known = (bits & RECEIVER) != 0 ? receiver : sender;
    String node = named ? in.nonEmptyName() : known.node();
    String host = (bits & HOST) != 0 ? in.nonEmptyName() : known.host();
    int life =
        (bits & LIFE) != 0 ? in.number(Integer.MAX_VALUE, "an incarnation") : known.life();
    return new Pid(node, host, in.varint(), life);
  }
}
