// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A listening socket: connections that wait to be accepted, up to its backlog.
///
/// **Thread** that of the loop whose turn it is.
final class ListenerEnd implements StreamEnd.Acceptance {
  private final SocketAddress address;
  private final int backlog;
  private final Runnable onChange;
  private final Runnable whenClosed;
  private final ArrayDeque<StreamEnd> waiting = new ArrayDeque<>();
  private int reserved; // handshakes that have not ended
  private boolean closed;
  private int receiveBuffer = 128 << 10; // bytes, of each connection

  /// @param owner its host; told when it is closed
  ListenerEnd(SocketAddress address, int backlog, Runnable onChange, Consumer<ListenerEnd> owner) {
    this.address = address;
    this.backlog = backlog;
    this.onChange = onChange;
    this.whenClosed = () -> owner.accept(this);
  }

  SocketAddress address() {
    return address;
  }

  int receiveBuffer() {
    return receiveBuffer;
  }

  void setReceiveBuffer(int bytes) {
    receiveBuffer = bytes;
  }

  boolean hasRoom() {
    return waiting.size() + reserved < backlog;
  }

  void reserve() {
    reserved++;
  }

  /// The handshake of a reserved connection has failed.
  @Override
  public void abandoned() {
    reserved--;
  }

  /// A reserved connection is there.
  @Override
  public void established(StreamEnd server) {
    reserved--;
    add(server);
  }

  void add(StreamEnd server) {
    if (closed) {
      server.abort();
    } else {
      waiting.add(server);
      onChange.run();
    }
  }

  boolean isReadable() {
    return closed || !waiting.isEmpty();
  }

  @Nullable StreamEnd accept() {
    return waiting.poll();
  }

  void close() {
    closed = true;
    whenClosed.run();
    waiting.forEach(StreamEnd::abort);
    waiting.clear();
  }

  /// Its host has crashed.
  void vanish() {
    closed = true;
    waiting.forEach(StreamEnd::vanish);
    waiting.clear();
  }
}
