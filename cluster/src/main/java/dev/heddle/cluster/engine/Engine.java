// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Finds other nodes and carries packets to them.
///
/// An engine promises nothing: it may lose, delay, repeat and reorder packets, and say that a node
/// is lost which is not. The session above counts packets and ends at the first one that is
/// missing. An engine that keeps the order of packets makes sessions last.
public interface Engine extends AutoCloseable {
  /// A place that packets are sent to. Equal addresses are the same place.
  interface Address {}

  /// Receives what an engine finds. Any thread, several at a time; must not wait.
  interface Listener {
    /// There may be a node at this address.
    void found(Address address);

    /// A connection with the node at this address has closed: the node may be lost, or both nodes
    /// live and have made another one.
    void closed(Address address);

    /// The node at this address may be lost: nobody listens there.
    void suspected(Address address);

    /// A packet has come. The array belongs to the listener from now on.
    void received(Address from, byte[] packet);

    /// The same, of a packet in a part of an array.
    ///
    /// @param start where it begins
    /// @param end where it ends
    default void received(Address from, byte[] bytes, int start, int end) {
      received(from, Arrays.copyOfRange(bytes, start, end));
    }
  }

  /// Starts to listen, and to look for others.
  ///
  /// @throws IOException when it cannot, with what to do about it
  void open(Listener listener) throws IOException;

  /// Its own address; known once it is open.
  Address address();

  /// Sends a packet. May wait while the connection to that address is slow: only the thread of the
  /// cluster that writes to this address calls it, and the agent for urgent packets.
  ///
  /// @param urgency of the packet: whether it may overtake others, and is kept until it arrives
  void send(Address to, byte[] packet, Urgency urgency);

  /// The same, of a packet whose array is used again once it has arrived.
  default void send(Address to, Outgoing packet, Urgency urgency) {
    byte[] bytes = packet.pin();
    if (bytes != null) {
      byte[] copy = Arrays.copyOf(bytes, packet.length());
      packet.unpin();
      send(to, copy, urgency);
    }
  }

  /// A packet on its way, in an array that another packet gets once this one has arrived. An engine
  /// keeps this object for as long as it likes, and reads the array between [#pin] and [#unpin]
  /// only. Any thread.
  interface Outgoing {
    /// How many bytes the packet has.
    int length();

    /// The array, whose first bytes are the packet until the caller calls [#unpin]; null when the
    /// packet has arrived: nobody needs it again.
    byte @Nullable [] pin();

    /// Ends a [#pin] that has returned an array.
    void unpin();
  }

  /// Whether a packet may overtake others.
  enum Urgency {
    /// it may not
    IN_ORDER,
    /// it may
    URGENT,
    /// it may, and is sent once: it is not kept until it arrives, since nobody may be there, or
    /// since another one follows
    ONCE
  }

  /// Drops what is known of an address: no packet to it is kept any more.
  void forget(Address address);

  /// Forgets an address whose node has ended: it is not found any more, whatever comes from there,
  /// until [#greeted]. Packets that were on their way come behind the word that it has ended.
  default void ended(Address address) {
    forget(address);
  }

  /// A node has greeted from this address: it may be found there, also when one has ended there.
  default void greeted(Address address) {}

  /// Where an address is, for [#learn] of another node; empty when it is not known.
  default byte[] describe(Address address) {
    return new byte[0];
  }

  /// A node has told where a third one is: it may be found there. What is malformed is ignored.
  /// Never waits.
  default void learn(byte[] description) {}

  @Override
  void close();
}
