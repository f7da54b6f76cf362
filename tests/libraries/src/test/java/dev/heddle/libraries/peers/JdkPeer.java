// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;

/// The JDK's server of HTTP.
final class JdkPeer {
  private JdkPeer() {}

  static Running start(ExecutorService executor, Handler handler) throws IOException {
    InetSocketAddress address = Running.ADDRESS;
    // @start region=jdk
    HttpServer server = HttpServer.create(address, 0);
    server.setExecutor(executor); // each exchange is a coroutine
    // @end
    server.createContext("/", exchange -> answer(exchange, handler));
    server.start();
    return Running.http(server.getAddress().getPort(), () -> server.stop(0));
  }

  private static void answer(HttpExchange exchange, Handler handler) throws IOException {
    try (exchange) {
      byte[] answer = handler.answer().getBytes(UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }
}
