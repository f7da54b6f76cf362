// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/// Helidon takes no executor: each connection has a virtual thread of its own, which hands its
/// requests to the loop.
final class HelidonPeer {
  private HelidonPeer() {}

  static Running start(ExecutorService executor, Handler handler) {
    HttpRouting.Builder routing = HttpRouting.builder();
    // @start region=helidon
    routing.addFilter((chain, request, response) ->
        CompletableFuture.runAsync(chain::proceed, executor).join()); // the connection waits
    // @end
    routing.get("/", (_, response) -> response.send(handler.call()));
    WebServer server =
        WebServer.builder()
            .host(Running.ADDRESS.getHostString())
            .port(0)
            .shutdownHook(false)
            .addRouting(routing)
            .build()
            .start();
    return Running.http(server.port(), server::stop);
  }
}
