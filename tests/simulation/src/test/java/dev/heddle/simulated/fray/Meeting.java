// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// Where a server and its clients meet: the server listens on a port that the system chooses, and
/// the clients wait for the port.
final class Meeting {
  private final CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();

  ServerSocketChannel listen() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    address.complete((InetSocketAddress) server.getLocalAddress());
    return server;
  }

  InetSocketAddress address() throws InterruptedException, ExecutionException {
    return address.get();
  }

  /// A port on which nobody listens: the system does not give it out.
  static InetSocketAddress nobody() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  }
}
