// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/// A server that runs, with a client.
///
/// @param client sends a request, and waits for the answer
/// @param server stops the server
/// @param end closes the client
record Running(Client client, Stop server, Stop end) implements AutoCloseable {
  /// Any free port of this machine.
  static final InetSocketAddress ADDRESS =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  interface Client {
    String ask() throws Exception;
  }

  interface Stop {
    void run() throws Exception;
  }

  /// A server of HTTP.
  static Running http(int port, Stop server) {
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1) // a connection for each request
            .build();
    URI uri = URI.create("http://127.0.0.1:" + port + "/");
    return new Running(() -> get(client, uri), server, client::shutdownNow);
  }

  /// Stops the server, whose clients are still connected, and then closes them.
  @Override
  public void close() {
    try {
      server.run();
      end.run();
    } catch (Exception e) {
      throw new IllegalStateException("the server did not stop", e);
    }
  }

  private static String get(HttpClient client, URI uri) throws Exception {
    HttpResponse<String> response =
        client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException(response + ": " + response.body());
    }
    return response.body();
  }
}
