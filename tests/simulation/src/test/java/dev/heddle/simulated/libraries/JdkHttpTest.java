// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.heddle.simulated.Simulated;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The JDK's HTTP client against the JDK's HTTP server.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JdkHttpTest {
  /// The client counts in whole milliseconds, and gives up within the last one.
  private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

  /// What a test does with a server that answers after an hour, and a client.
  private interface Exchange {
    void run(HttpClient client, HttpRequest.Builder request) throws Exception;
  }

  private static Duration againstASlowServer(Exchange exchange) {
    return Simulated.virtually(() -> {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      HttpServer server = HttpServer.create(any, 0);
      try (ExecutorService handlers = Executors.newCachedThreadPool();
          HttpClient client = HttpClient.newHttpClient()) {
        server.setExecutor(handlers);
        server.createContext("/", JdkHttpTest::answerAfterAnHour);
        server.start();
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        exchange.run(client, HttpRequest.newBuilder(uri));
        server.stop(0);
      }
    });
  }

  private static void answerAfterAnHour(HttpExchange exchange) throws IOException {
    try (exchange) {
      Thread.sleep(Duration.ofHours(1));
      byte[] body = {'s', 'l', 'o', 'w'};
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void send_getsTheAnswerOfAnHour() {
    Duration elapsed =
        againstASlowServer((client, request) ->
            assertThat(client.send(request.build(), BodyHandlers.ofString()).body())
                .isEqualTo("slow"));
    assertThat(elapsed).isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }

  @Test
  void timeout_ofHalfAnHour_givesUp() {
    againstASlowServer((client, request) -> {
      HttpRequest impatient = request.timeout(HALF_AN_HOUR).build();
      long began = System.nanoTime();
      assertThatThrownBy(() -> client.send(impatient, BodyHandlers.discarding()))
          .isInstanceOf(HttpTimeoutException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isBetween(HALF_AN_HOUR.minusMillis(1), HALF_AN_HOUR.plusMinutes(1));
    });
  }

  @Test
  void tenAtOnce_getTheirAnswersInOneHour() {
    Duration elapsed =
        againstASlowServer((client, request) -> {
          List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            answers.add(client.sendAsync(request.build(), BodyHandlers.ofString()));
          }
          for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertThat(answer.get().body()).isEqualTo("slow");
          }
        });
    assertThat(elapsed).isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }
}
