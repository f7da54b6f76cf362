// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Socket I/O of ordinary virtual threads, without a coroutine.
final class StockSockets {
  private StockSockets() {}

  /// Exchanges, each on two virtual threads of its own, that answer 42.
  static int sumOf(int exchanges) throws Exception {
    try (ServerSocket server = new ServerSocket(0, exchanges, InetAddress.getLoopbackAddress());
        ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < exchanges; i++) {
        var _ = tasks.submit(() -> serveOne(server));
        answers.add(tasks.submit(() -> ask(server)));
      }
      int sum = 0;
      for (Future<Integer> answer : answers) {
        sum += answer.get();
      }
      return sum;
    }
  }

  private static boolean serveOne(ServerSocket server) throws Exception {
    try (Socket peer = server.accept()) {
      peer.getOutputStream().write(peer.getInputStream().read() * 2);
    }
    return true;
  }

  private static int ask(ServerSocket server) throws Exception {
    try (Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
      client.getOutputStream().write(21);
      return client.getInputStream().read();
    }
  }
}
