// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.TURNS;
import static dev.heddle.libraries.Watched.turnsBeside;
import static dev.heddle.libraries.Watched.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// HTTP clients inside coroutines: each must wait in its own way, and hold nobody.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpClientsTest {
  private static final int CLIENTS = 200;

  /// An open client of some library's.
  interface Client extends AutoCloseable {
    String get(URI uri) throws Exception;

    @Override
    void close() throws IOException;
  }

  /// The libraries, and the ways they can be set up that matter to a loop.
  enum Library {
    /// The JDK's, with its own threads.
    JDK {
      @Override
      Client open() {
        return jdk(HttpClient.newHttpClient());
      }
    },

    /// The JDK's, whose threads are virtual ones started inside a coroutine.
    JDK_ON_VIRTUAL_THREADS {
      @Override
      Client open() {
        return jdk(
            HttpClient.newBuilder().executor(Executors.newVirtualThreadPerTaskExecutor()).build());
      }
    },

    /// Apache HttpClient, classic: the caller's thread does it all; a connection for each.
    APACHE {
      @Override
      Client open() {
        return apache(HttpClients.custom(), CLIENTS);
      }
    },

    /// The same with a pool of few connections: most callers wait for one. And without retries.
    APACHE_WITH_FEW_CONNECTIONS {
      @Override
      Client open() {
        return apache(HttpClients.custom().disableAutomaticRetries(), FEW);
      }

      @Override
      int atATime() {
        return FEW;
      }
    },

    /// OkHttp: the caller's thread does it all; its pool makes as many connections as are asked
    /// for.
    OKHTTP {
      @Override
      Client open() {
        return okHttp();
      }
    };

    private static final int FEW = 4;

    abstract Client open();

    /// How many requests it has under way when there are enough.
    int atATime() {
      return CLIENTS;
    }

    /// What a block throws that is cut in a request. Apache's client takes the interrupt for a
    /// failure of the connection, tries again, and is cancelled by its own pool.
    Class<? extends Exception> endWhenCut() {
      return this == APACHE ? CancellationException.class : WaitCancelledException.class;
    }
  }

  private static Client jdk(HttpClient client) {
    return new Client() {
      @Override
      public String get(URI uri) throws Exception {
        return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  private static Client okHttp() {
    OkHttpClient client = new OkHttpClient.Builder().readTimeout(Duration.ofHours(1)).build();
    return new Client() {
      @Override
      public String get(URI uri) throws IOException {
        Request request = new Request.Builder().url(uri.toString()).build();
        try (Response response = client.newCall(request).execute()) {
          return response.body().string();
        }
      }

      @Override
      public void close() {
        client.connectionPool().evictAll();
        client.dispatcher().executorService().shutdownNow();
      }
    };
  }

  private static Client apache(HttpClientBuilder builder, int connections) {
    CloseableHttpClient client =
        builder
            .setConnectionManager(
                PoolingHttpClientConnectionManagerBuilder.create()
                    .setMaxConnTotal(connections)
                    .setMaxConnPerRoute(connections)
                    .build())
            .build();
    return new Client() {
      @Override
      public String get(URI uri) throws Exception {
        return client.execute(
            new HttpGet(uri), response -> EntityUtils.toString(response.getEntity()));
      }

      @Override
      public void close() throws IOException {
        client.close();
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void requests_of200CoroutinesToAServerThatDoesNotAnswer_suspendOnlyThem(Library library)
      throws Exception {
    try (HoldingServer server = new HoldingServer()) {
      List<String> answers =
          Watched.run(() -> {
            try (Client client = library.open()) {
              List<Coroutine<String>> requests = new ArrayList<>();
              for (int i = 0; i < CLIENTS; i++) {
                URI uri = server.uri("/held?" + i);
                requests.add(Heddle.spawn(() -> client.get(uri)));
              }
              until(() -> server.held() == library.atATime());
              assertThat(turnsBeside(requests)).isEqualTo(TURNS);
              server.release();
              return requests.stream().map(Coroutine::await).toList();
            }
          });
      assertThat(answers)
          .isEqualTo(IntStream.range(0, CLIENTS).mapToObj(i -> "hello " + i).toList());
    }
  }

  @ParameterizedTest
  @EnumSource
  void within_aroundARequestThatIsNotAnswered_cutsItAndLeavesTheClientUsable(Library library)
      throws Exception {
    try (HoldingServer server = new HoldingServer()) {
      String next =
          Watched.run(() -> {
            try (Client client = library.open()) {
              assertThatThrownBy(() ->
                      Watched.cutWhen(
                          () -> server.held() == 1, () -> client.get(server.uri("/held?1"))))
                  .isInstanceOf(library.endWhenCut());
              return client.get(server.uri("/?next"));
            }
          });
      assertThat(next).isEqualTo("hello next");
    }
  }
}
