// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A datagram socket with a path, or without one. Within its host nothing is lost: a receiver
/// without room holds its senders.
///
/// **Thread** that of the loop whose turn it is.
final class UnixDatagramEnd {
  private static final int MAX_BYTES = 212_960; // of a datagram, with Linux's default buffer
  private static final int ROOM = 10; // datagrams, Linux's max_dgram_qlen

  private final UnixDomainSocketAddress local;
  private final Runnable onChange;
  private final ArrayDeque<Datagram> received = new ArrayDeque<>();
  private final Set<UnixDatagramEnd> held = new LinkedHashSet<>(); // senders without room here
  private @Nullable UnixDatagramEnd peer;
  private @Nullable UnixDatagramEnd heldBy;
  private boolean closed;

  @SuppressWarnings("ArrayRecordComponent") // no datagram is compared
  private record Datagram(UnixDomainSocketAddress from, byte[] bytes) {}

  UnixDatagramEnd(UnixDomainSocketAddress local, Runnable onChange) {
    this.local = local;
    this.onChange = onChange;
  }

  UnixDomainSocketAddress local() {
    return local;
  }

  @Nullable UnixDatagramEnd peer() {
    return peer;
  }

  void connect(@Nullable UnixDatagramEnd to) {
    peer = to;
  }

  // ---- sending ----

  /// Sends a datagram.
  ///
  /// @return false: the receiver has no room, and this end is told when it has
  boolean send(ByteBuffer from, UnixDatagramEnd to) throws IOException {
    if (to.closed) {
      throw new ConnectException("Connection refused");
    }
    if (to.peer != null && to.peer != this) {
      throw new IOException("Operation not permitted"); // it takes those of its peer only
    }
    if (from.remaining() > MAX_BYTES) {
      throw new IOException("Message too long");
    }
    if (to.received.size() >= ROOM) {
      to.held.add(this);
      heldBy = to;
      return false;
    }
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    to.received.add(new Datagram(local, bytes));
    to.onChange.run();
    return true;
  }

  /// Whether a send would not block, as far as known. If it would, this end is told when not.
  boolean isWritable() {
    UnixDatagramEnd by = heldBy;
    if (by == null || by.closed || by.received.size() < ROOM) {
      return true;
    }
    by.held.add(this); // others may have taken the room of which it was told
    return false;
  }

  // ---- receiving ----

  boolean isReadable() {
    return closed || !received.isEmpty();
  }

  @Nullable UnixDomainSocketAddress receive(ByteBuffer into) {
    Datagram oldest = received.poll();
    if (oldest == null) {
      return null;
    }
    into.put(oldest.bytes(), 0, Math.min(oldest.bytes().length, into.remaining()));
    release();
    return oldest.from();
  }

  private void release() {
    List<UnixDatagramEnd> waited = List.copyOf(held);
    held.clear();
    waited.forEach(sender -> sender.onChange.run());
  }

  // ---- the end ----

  void close() {
    closed = true;
    release();
  }

  boolean isClosed() {
    return closed;
  }

  /// Its host has crashed.
  void vanish() {
    closed = true;
    held.clear();
  }
}
