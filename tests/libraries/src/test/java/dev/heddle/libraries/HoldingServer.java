// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// The JDK's HTTP server on threads of its own; `/held` is answered when the test says so.
final class HoldingServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicInteger held = new AtomicInteger();

  HoldingServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/held", this::hold);
    server.createContext("/", HoldingServer::greet);
    server.start();
  }

  private void hold(HttpExchange exchange) throws IOException {
    held.incrementAndGet();
    try {
      released.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    greet(exchange);
  }

  private static void greet(HttpExchange exchange) throws IOException {
    byte[] body = ("hello " + exchange.getRequestURI().getQuery()).getBytes(UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  /// How many requests have come that are not answered before [#release()].
  int held() {
    return held.get();
  }

  void release() {
    released.countDown();
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    threads.shutdownNow();
  }
}
