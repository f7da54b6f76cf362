// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.net.SocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A listening socket: connections that wait to be accepted, up to its backlog.
///
/// **Thread** that of the loop whose turn it is.
final class ListenerEnd {
  private final SimulatedHost host;
  private final SocketAddress address;
  private final int backlog;
  private final Runnable onChange;
  private final ArrayDeque<StreamEnd> waiting = new ArrayDeque<>();
  private int reserved; // handshakes that have not ended
  private boolean closed;
  private int receiveBuffer = 128 << 10; // bytes, of each connection

  ListenerEnd(SimulatedHost host, SocketAddress address, int backlog, Runnable onChange) {
    this.host = host;
    this.address = address;
    this.backlog = backlog;
    this.onChange = onChange;
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
  void abandoned() {
    reserved--;
  }

  /// A reserved connection is there.
  void established(StreamEnd server) {
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
    host.release(this);
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
