// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.io.Server;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.os.Child;
import dev.heddle.os.Command;

/// An echo and an HTTP server on Heddle's own handles, their clients, and child processes.
///
/// **Thread** the loop's.
final class OwnHandles {
  private static final int LONGEST = 10_000; // bytes
  private static final ByteBuffer GREETING =
      UTF_8.encode("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n").asReadOnlyBuffer();

  private final Random random;
  private final Pattern pattern;
  private final Server echo;
  private final Server http;

  OwnHandles(SocketAddress address, Random random, Pattern pattern) throws IOException {
    this.random = random;
    this.pattern = pattern;
    this.echo = Tcp.serve(address, client -> untilKilled(client, c -> c.transferTo(c)));
    this.http = Tcp.serve(address, client -> untilKilled(client, OwnHandles::greet));
  }

  /// One thing that a client can do.
  ///
  /// @return how it ended
  String something() throws IOException {
    if (random.nextInt(40) == 0) {
      return child();
    }
    return random.nextBoolean() ? echoed() : greeted();
  }

  /// A client that was killed may still stand in a listener's queue: so one more comes behind it,
  /// and whoever was before that one has been accepted when it is served.
  void awaitRest() throws IOException {
    for (Server server : List.of(echo, http)) {
      try (StreamSocket last = Tcp.connect(server.address())) {
        last.write(UTF_8.encode("\r\n\r\n"));
        last.readFully(ByteBuffer.allocate(1));
      }
      while (server.connections() > 0) {
        Heddle.delay(Duration.ofMillis(10));
      }
    }
  }

  // --- servers ------------------------------------------------------------------------------

  private interface Service {
    void talk(StreamSocket client) throws IOException;
  }

  private static void untilKilled(StreamSocket client, Service service) {
    try {
      service.talk(client);
    } catch (IOException _) {
      // it was killed: that is what this is about
    }
  }

  private static void greet(StreamSocket client) throws IOException {
    for (String line = client.readLine(); line != null; line = client.readLine()) {
      if (line.isEmpty()) {
        client.write(GREETING.duplicate());
      }
    }
  }

  // --- clients ------------------------------------------------------------------------------

  private String echoed() throws IOException {
    try (StreamSocket socket = Tcp.connect(echo.address())) {
      int owner = pattern.next();
      ByteBuffer bytes = Pattern.bytes(owner, 1 + random.nextInt(LONGEST));
      socket.write(bytes);
      if (random.nextInt(4) == 0) {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0); // closing resets
        return "reset";
      }
      ByteBuffer came = ByteBuffer.allocate(bytes.capacity());
      socket.readFully(came);
      pattern.check("echo", owner, came.flip());
      return "echoed";
    }
  }

  private String greeted() throws IOException {
    try (StreamSocket socket = Tcp.connect(http.address())) {
      socket.write(UTF_8.encode("GET / HTTP/1.1\r\nHost: soak\r\n\r\n"));
      ByteBuffer came = ByteBuffer.allocate(10 + random.nextInt(30));
      socket.readFully(came);
      pattern.check("greeting", GREETING.duplicate().limit(came.capacity()), came.flip());
      return "greeted";
    }
  }

  private String child() throws IOException {
    if (random.nextBoolean()) {
      int owner = pattern.next();
      byte[] sent = Pattern.bytes(owner, 1 + random.nextInt(LONGEST)).array();
      byte[] came = Command.of("cat").withInput(sent).run().orThrow().outputBytes();
      pattern.check("child " + owner, ByteBuffer.wrap(sent), ByteBuffer.wrap(came));
      return "child ended";
    }
    try (Child child = Command.of("sleep", "60").start()) {
      child.kill();
      child.await();
      return "child killed";
    }
  }
}
