// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import dev.heddle.simulated.program.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Programs that ask a web server for a page, each by another part of the JDK.
final class Requests {
  private static final String REQUEST = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
  private static final String ANSWER = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

  private Requests() {}

  static void bySocket(Threads threads) throws Exception {
    InetSocketAddress address = startServer(threads);
    try (Socket socket = new Socket()) {
      socket.connect(address);
      socket.getOutputStream().write(REQUEST.getBytes(UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      check(ANSWER.equals(answer), "answered " + answer);
    }
  }

  static void bySelector(Threads threads) throws Exception {
    InetSocketAddress address = startServer(threads);
    ByteBuffer answer = ByteBuffer.allocate(1_024);
    try (Selector selector = Selector.open();
        SocketChannel channel = SocketChannel.open()) {
      channel.configureBlocking(false);
      boolean connected = channel.connect(address);
      channel.register(selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT);
      boolean open = true;
      while (open) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          open &= proceed(key, channel, answer);
        }
        selector.selectedKeys().clear();
      }
    }
    String text = new String(answer.array(), 0, answer.position(), UTF_8);
    check(ANSWER.equals(text), "answered " + text);
  }

  private static boolean proceed(SelectionKey key, SocketChannel channel, ByteBuffer answer)
      throws IOException {
    if (key.isConnectable()) {
      channel.finishConnect();
      key.interestOps(SelectionKey.OP_WRITE);
    } else if (key.isWritable()) {
      channel.write(ByteBuffer.wrap(REQUEST.getBytes(UTF_8)));
      key.interestOps(SelectionKey.OP_READ);
    } else if (key.isReadable()) {
      return channel.read(answer) >= 0;
    }
    return true;
  }

  static void byHttpClient() throws IOException, InterruptedException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(uri).header("X-App", "simulated").build();
      int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      check(status == 204, "status " + status);
    } finally {
      server.stop(0);
      Thread.sleep(1); // in virtual time: its timer's thread ends after that
    }
  }

  /// Answers one request.
  private static InetSocketAddress startServer(Threads threads) throws Exception {
    Meeting meeting = new Meeting();
    threads.start(() -> {
      try (ServerSocketChannel server = meeting.listen();
          SocketChannel client = server.accept()) {
        ByteBuffer request = ByteBuffer.allocate(REQUEST.length());
        while (request.hasRemaining() && client.read(request) >= 0) {
          // until the request is there
        }
        client.write(ByteBuffer.wrap(ANSWER.getBytes(UTF_8)));
      }
    });
    return meeting.address();
  }
}
