// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.Heddle;
import dev.heddle.netty.HeddleEventLoop;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/// Reactor Netty, server and client on the loop.
@ParameterizedClass
@MethodSource("dev.heddle.libraries.netty.TwoLoops#drivers")
@Tag("T14.6")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record ReactorNettyTest(String driver) {
  private static final int CONNECTIONS = 10; // fewer than ask at once

  @Test
  void requests_ofAPool_getTheirOwnAnswers() throws Exception {
    requestAll(2_000, HttpProtocol.HTTP11);
  }

  @Test
  void requests_ofHttp2_getTheirOwnAnswers() throws Exception {
    requestAll(2_000, HttpProtocol.H2C);
  }

  @Test
  @Tag("full")
  void requests_manyMore_getTheirOwnAnswers() throws Exception {
    requestAll(TwoLoops.many(driver), HttpProtocol.HTTP11);
  }

  @Test
  @Tag("full")
  void requests_ofHttp2_manyMore_getTheirOwnAnswers() throws Exception {
    requestAll(TwoLoops.many(driver), HttpProtocol.H2C);
  }

  private void requestAll(int requests, HttpProtocol protocol) throws Exception {
    TwoLoops.run(
        driver,
        () -> {
          LoopResources loop = new WaitingLoopResources(HeddleEventLoop.current());
          DisposableServer server = Heddle.await(server(loop, protocol).bind().toFuture());
          ConnectionProvider pool =
              ConnectionProvider.builder("peers")
                  .maxConnections(CONNECTIONS)
                  .pendingAcquireMaxCount(-1) // without a limit
                  .build();
          HttpClient client = client(loop, protocol, pool, server.port());
          TwoLoops.askAll(requests, question -> Heddle.await(request(client, question).toFuture()));
          Heddle.await(pool.disposeLater().toFuture());
          server.disposeNow();
        });
  }

  private static HttpServer server(LoopResources loop, HttpProtocol protocol) {
    return HttpServer.create()
        .host("127.0.0.1")
        .port(0)
        .runOn(loop)
        .protocol(protocol)
        .route(routes ->
            routes.post(
                "/",
                (request, response) ->
                    response.sendString(
                        request.receive().aggregate().asString().map(TwoLoops::answer))));
  }

  private static HttpClient client(
      LoopResources loop, HttpProtocol protocol, ConnectionProvider pool, int port) {
    return HttpClient.create(pool)
        .runOn(loop)
        .protocol(protocol)
        .resolver(DefaultAddressResolverGroup.INSTANCE)
        .baseUrl("http://127.0.0.1:" + port);
  }

  private static Mono<String> request(HttpClient client, String question) {
    return client
        .post()
        .uri("/")
        .send((request, body) -> body.sendString(Mono.just(question)))
        .responseContent()
        .aggregate()
        .asString();
  }
}
