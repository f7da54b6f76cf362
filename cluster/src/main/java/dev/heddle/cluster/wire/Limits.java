// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// The limits of the wire, in bytes. A reader checks them before it allocates.
public final class Limits {
  /// Of a packet of several frames.
  public static final int PACKED_PACKET_BYTES = 48 * 1024;

  /// Of the content of a message, its type number included.
  public static final int MESSAGE_BYTES = 1024 * 1024;

  /// Of a frame: a message, and the names and the failure that may come with it.
  public static final int FRAME_BYTES = MESSAGE_BYTES + 64 * 1024;

  /// Of a packet of one frame.
  public static final int PACKET_BYTES = Packet.HEADER_BYTES + 5 + FRAME_BYTES;

  /// Of an urgent packet: it may come from a stranger.
  public static final int URGENT_PACKET_BYTES = 64 * 1024;

  /// Of a name: of a node, a host, a type, an entry, a group.
  public static final int NAME_BYTES = 1024;

  /// Of a text for people, such as a reason or a stack trace; longer ones are cut.
  public static final int TEXT_BYTES = 8 * 1024;

  private Limits() {}
}
