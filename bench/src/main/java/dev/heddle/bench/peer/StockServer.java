// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Server;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// A stock virtual thread for each connection of a `java.net` server.
public final class StockServer implements Server {
  private static final int BACKLOG = 1_024;

  private final Talk talk;

  private StockServer(Talk talk) {
    this.talk = talk;
  }

  /// One that echoes.
  public static Server echo() {
    return new StockServer(StockServer::echo);
  }

  /// One that greets over HTTP.
  public static Server http() {
    var date = new HttpDate();
    return new StockServer(socket -> new StockHttp(socket, date).talk());
  }

  @Override
  public void serve(PrintStream output) throws IOException {
    try (var listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
      output.println("at 127.0.0.1:" + listener.getLocalPort());
      while (true) {
        Socket socket = listener.accept();
        Thread.startVirtualThread(() -> attend(socket));
      }
    }
  }

  private void attend(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      talk.with(socket);
    } catch (IOException _) {
      // safe: a connection that breaks is its client's business
    }
  }

  private static void echo(Socket socket) throws IOException {
    var in = socket.getInputStream();
    var out = socket.getOutputStream();
    var buffer = new byte[4096];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      out.write(buffer, 0, count);
    }
  }

  private interface Talk {
    void with(Socket socket) throws IOException;
  }
}
