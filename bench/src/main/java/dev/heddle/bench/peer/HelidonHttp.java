// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.heddle.bench.measure.Server;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;

/// A greeting by Helidon: a stock virtual thread for each connection.
public final class HelidonHttp implements Server {
  private static final byte[] BODY = "Hello, World!".getBytes(US_ASCII);

  private final HttpDate date = new HttpDate();

  @Override
  public void serve(PrintStream output) throws InterruptedException {
    WebServer server =
        WebServer.builder()
            .host("127.0.0.1")
            .port(0)
            .routing(routing -> routing.get("/", this::answer))
            .build()
            .start();
    output.println("at 127.0.0.1:" + server.port());
    new CountDownLatch(1).await();
  }

  private void answer(ServerRequest request, ServerResponse response) {
    response
        .header(HeaderValues.CONTENT_TYPE_TEXT_PLAIN)
        .header(HeaderNames.DATE, date.now())
        .send(BODY);
  }
}
