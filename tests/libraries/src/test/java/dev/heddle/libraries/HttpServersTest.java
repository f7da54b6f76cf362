// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Servers that hand each exchange to an executor, here the loop's: it is a coroutine.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpServersTest {

  @Test
  void exchangesOfTheJdksServer_asCoroutines_waitForEachOtherOnOneThread() {
    int exchanges = 100;
    Watched.run(() -> {
      Promise<Boolean> released = Heddle.promise("released");
      int[] inside = {0};
      HttpServer server =
          start(exchange -> {
            inside[0]++; // one thread: no lock
            released.future().await();
            answer(exchange);
          });
      try (HttpClient client = HttpClient.newHttpClient()) {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        List<Coroutine<Integer>> requests =
            crowd(
                exchanges,
                () ->
                    client
                        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                        .statusCode());
        assertOnlyTheyWait(requests, () -> inside[0] == exchanges);
        released.complete(true);
        assertThat(requests).extracting(Coroutine::await).containsOnly(200);
      } finally {
        server.stop(0);
      }
    });
  }

  private interface Handler {
    void handle(HttpExchange exchange) throws IOException;
  }

  private static HttpServer start(Handler handler) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Loop.current().executor());
    server.createContext("/", handler::handle);
    server.start();
    return server;
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(200, -1);
    }
  }
}
