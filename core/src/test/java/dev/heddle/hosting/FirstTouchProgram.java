// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Heddle;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// A JVM in which a coroutine is the first to wait for a socket, so that it is the one that brings
/// the JDK's pollers to life.
final class FirstTouchProgram {
  private FirstTouchProgram() {}

  public static void main(String[] args) throws Exception {
    int during =
        Heddle.run(() -> {
          try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var answer = Heddle.spawn(() -> ask(server));
            try (Socket peer = server.accept()) {
              peer.getOutputStream().write(peer.getInputStream().read() * 2);
              return answer.await();
            }
          }
        });
    System.out.println("during " + during);
    System.out.println("after " + StockSockets.sumOf(20));
  }

  private static int ask(ServerSocket server) throws Exception {
    try (Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
      Heddle.yieldNow();
      client.getOutputStream().write(21);
      return client.getInputStream().read();
    }
  }
}
