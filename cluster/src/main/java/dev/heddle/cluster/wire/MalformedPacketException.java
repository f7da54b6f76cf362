// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// The bytes of a packet break the rules of the wire. The session they belong to ends; nothing of
/// the packet is delivered.
public final class MalformedPacketException extends Exception {
  private static final long serialVersionUID = 1L;

  /// @param what is wrong, with the value
  /// @param offset in the packet, in bytes
  public MalformedPacketException(String what, int offset) {
    super(what + ", at byte " + offset, null, false, false);
  }
}
