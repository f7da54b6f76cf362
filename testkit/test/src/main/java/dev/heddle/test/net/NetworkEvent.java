// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

/// Something that has happened in a simulated network.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=events}
///
/// @param atNanos when, by the simulation's clock
/// @param kind what
/// @param from the sender's address, or that of who has done it
/// @param to the receiver's
/// @param bytes bytes of the program's in it
/// @param hash of these bytes
public record NetworkEvent(long atNanos, Kind kind, String from, String to, int bytes, int hash) {
  /// Kinds of events.
  public enum Kind {
    /// A connection was asked for, and the request has arrived.
    CONNECT,
    /// A connection was made.
    CONNECTED,
    /// Nobody listens there, or there is no room for another connection.
    REFUSED,
    /// A piece of a stream has arrived.
    DATA,
    /// The end of a stream has arrived.
    END,
    /// A reset has arrived.
    RESET,
    /// A packet was lost.
    LOST,
    /// A datagram has arrived.
    DATAGRAM,
    /// A datagram has arrived for which there was no receiver, or no room.
    DROPPED,
    /// A name was looked up.
    NAME
  }

  @Override
  public String toString() {
    return atNanos
        + " "
        + kind
        + " "
        + from
        + " > "
        + to
        + (bytes == 0 ? "" : " " + bytes + " " + Integer.toHexString(hash));
  }
}
