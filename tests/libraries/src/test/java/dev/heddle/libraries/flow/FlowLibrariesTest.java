// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.heddle.Heddle;
import dev.heddle.flow.Flows;
import dev.heddle.sync.Channel;
import io.reactivex.rxjava3.core.Flowable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.FlowAdapters;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/// Streams of other libraries, to and from coroutines.
@Tag("T16")
@Timeout(300)
class FlowLibrariesTest {
  private static final int ITEMS = 5_000;

  private static List<Integer> all() {
    return IntStream.range(0, ITEMS).boxed().toList();
  }

  @Test
  void reactor_readsAChannel() {
    Heddle.run(() -> {
      // @start region=to-reactor
      Channel<Integer> numbers = Channel.of(8);
      Flux<Integer> flux = JdkFlowAdapter.flowPublisherToFlux(Flows.publisher(numbers));
      var sum = flux.publishOn(Schedulers.parallel()).reduce(0, Integer::sum).toFuture();
      for (int i = 0; i < ITEMS; i++) {
        numbers.send(i); // waits while Reactor is behind
      }
      numbers.close();
      int result = Heddle.await(sum);
      // @end
      assertThat(result).isEqualTo(ITEMS * (ITEMS - 1) / 2);
    });
  }

  @Test
  void channel_readsReactor() {
    Heddle.run(() -> {
      // @start region=from-reactor
      Flux<Integer> flux = Flux.range(0, ITEMS).publishOn(Schedulers.parallel());
      Channel<Integer> numbers = Flows.channel(JdkFlowAdapter.publisherToFlowPublisher(flux), 64);
      // @end
      assertThat(numbers.stream()).containsExactlyElementsOf(all());
    });
  }

  @Test
  void reactor_thatTakesSome_cancelsTheProducer() {
    Heddle.run(() -> {
      Flow.Publisher<Integer> endless =
          Flows.publisher(out -> {
            for (int i = 0; ; i++) {
              out.send(i);
            }
          });
      var some = JdkFlowAdapter.flowPublisherToFlux(endless).take(100).collectList().toFuture();
      assertThat(Heddle.await(some)).isEqualTo(all().subList(0, 100));
      // the program ends only because the producer was cancelled
    });
  }

  @Test
  void rxJava_thereAndBack() {
    Heddle.run(() -> {
      Channel<Integer> from = Channel.of(8);
      Flowable<Integer> doubled =
          Flowable.fromPublisher(FlowAdapters.toPublisher(Flows.publisher(from)))
              .observeOn(io.reactivex.rxjava3.schedulers.Schedulers.computation())
              .map(i -> 2 * i);
      Channel<Integer> to = Flows.channel(FlowAdapters.toFlowPublisher(doubled), 16);
      Heddle.spawn(() -> {
        all().forEach(from::send);
        from.close();
      });
      assertThat(to.stream()).containsExactlyElementsOf(all().stream().map(i -> 2 * i).toList());
    });
  }

  @Test
  void jdkHttpClient_bodyIsReadAsItComes() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] body = new byte[1 << 20];
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, body.length);
          try (var out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
    try (HttpClient client = HttpClient.newHttpClient()) {
      int port = server.getAddress().getPort();
      HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port)).build();
      long bytes =
          Heddle.run(() -> {
            long sum = 0;
            // @start region=http
            HttpResponse<Flow.Publisher<List<ByteBuffer>>> response =
                Heddle.await(client.sendAsync(request, BodyHandlers.ofPublisher()));
            for (List<ByteBuffer> part : Flows.channel(response.body(), 4)) {
              sum += part.stream().mapToInt(ByteBuffer::remaining).sum(); // may wait
            }
            // @end
            return sum;
          });
      assertThat(bytes).isEqualTo(body.length);
    } finally {
      server.stop(0);
    }
  }
}
