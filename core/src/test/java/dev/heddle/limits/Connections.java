// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/// Both ends of a connection on the loopback: ours, and a stock socket that the test can mistreat.
record Connections(AsyncIo ours, Socket peer) {
  static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /// A connection that a peer has opened to a listener of ours.
  static Connections open() throws IOException {
    try (Listener listener = Tcp.listen(ANY_PORT)) {
      Socket peer = new Socket();
      peer.connect(listener.localAddress());
      return new Connections(listener.accept(), peer);
    }
  }

  /// Makes the peer vanish as a killed process does: with a reset.
  void kill() throws IOException {
    peer.setSoLinger(true, 0);
    peer.close();
  }

  void send(String text) throws IOException {
    peer.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Reads up to `bytes` bytes, once.
  String read(int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    ours.read(buffer);
    return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
  }

  /// Writes until nobody reads any more.
  boolean writeForEver() throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
    while (true) {
      ours.write(chunk.clear());
    }
  }

  /// An address of the loopback where nobody listens, nor ever will: the socket that has it does
  /// not, and stays open. A port that nobody had could become another program's, or the one from
  /// which a connect to it starts, which would then connect to itself.
  static SocketAddress refusing() {
    return Bound.ONE.getLocalSocketAddress();
  }

  private static final class Bound {
    static final Socket ONE = bound();

    private static Socket bound() {
      try {
        Socket socket = new Socket();
        socket.bind(ANY_PORT);
        return socket;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// Lets turns pass until `condition` holds.
  static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }
}
