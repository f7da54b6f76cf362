// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Server;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;

/// A greeting by Vert.x on one event loop, with its native transport.
public final class VertxHttp implements Server {
  private static final Buffer BODY = Buffer.buffer("Hello, World!");
  private static final CharSequence PLAIN = HttpHeaders.createOptimized("text/plain");

  private final HttpDate date = new HttpDate();

  @Override
  public void serve(PrintStream output) throws Exception {
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
    var options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    int port =
        vertx
            .createHttpServer(options)
            .requestHandler(this::answer)
            .listen()
            .toCompletionStage()
            .toCompletableFuture()
            .get()
            .actualPort();
    output.println("native transport: " + vertx.isNativeTransportEnabled());
    output.println("at 127.0.0.1:" + port);
    new CountDownLatch(1).await();
  }

  private void answer(HttpServerRequest request) {
    var response = request.response();
    if ("/".equals(request.path())) {
      response
          .putHeader(HttpHeaders.CONTENT_TYPE, PLAIN)
          .putHeader(HttpHeaders.DATE, date.now())
          .end(BODY);
    } else {
      response.setStatusCode(404).end();
    }
  }
}
