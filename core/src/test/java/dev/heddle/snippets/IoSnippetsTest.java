// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Poll;
import dev.heddle.io.Server;
import dev.heddle.io.ServerOptions;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.io.Udp;
import dev.heddle.io.UdpSocket;
import dev.heddle.io.Unix;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The examples of the I/O room's documentation.
@Tag("once")
class IoSnippetsTest {
  @Test
  void tcpOptions() {
    InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    boolean keptAlive =
        Heddle.run(() -> {
          // @start region=tcpOptions
          TcpOptions options =
              TcpOptions.defaults()
                  .with(StandardSocketOptions.SO_KEEPALIVE, true)
                  .withBacklog(4_096);
          try (Listener listener = Tcp.listen(local, options);
              StreamSocket client = Tcp.connect(listener.localAddress(), options)) {
            return client.option(StandardSocketOptions.SO_KEEPALIVE);
          }
          // @end
        });
    assertThat(keptAlive).isTrue();
  }

  @Test
  void serve() {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    String echo =
        Heddle.run(() -> {
          // @start region=serve
          try (Server server = Tcp.serve(address, client -> client.transferTo(client));
              StreamSocket client = Tcp.connect(server.address())) {
            client.write(StandardCharsets.UTF_8.encode("hello\n"));
            return client.readLine();
          }
          // @end
        });
    assertThat(echo).isEqualTo("hello");
  }

  @Test
  void byName() {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    String echo =
        Heddle.run(() -> {
          try (Server server = Tcp.serve(address, client -> client.transferTo(client))) {
            int port = ((InetSocketAddress) server.address()).getPort();
            // @start region=byName
            try (StreamSocket client = Tcp.connect("localhost", port)) {
              client.write(StandardCharsets.UTF_8.encode("hello\n"));
              return client.readLine();
            }
            // @end
          }
        });
    assertThat(echo).isEqualTo("hello");
  }

  @Test
  void serverOptions() {
    // @start region=serverOptions
    ServerOptions options =
        ServerOptions.defaults()
            .withMaxConnections(1_000) // the next one waits in the system's line
            .withTcp(TcpOptions.defaults().withBacklog(4_096));
    // @end
    assertThat(options).hasToString("at most 1000 connections, backlog 4096, {}");
  }

  private @Nullable Server server;

  @Test
  void draining() {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Heddle.run(() -> {
      Server started = Tcp.serve(address, this::talk);
      server = started;
      try (StreamSocket client = Tcp.connect(started.address())) {
        client.write(StandardCharsets.UTF_8.encode("hello\n"));
        assertThat(client.readLine()).isEqualTo("hello");
        assertThat(started.drain(Deadline.never())).isTrue();
        assertThat(client.readLine()).isNull();
      }
    });
  }

  private void talk(StreamSocket client) throws IOException {
    Server ours = Objects.requireNonNull(server, "server");
    // @start region=draining
    try {
      String line = Heddle.cancelWhen(ours.draining(), () -> client.readLine());
      while (line != null) {
        client.write(StandardCharsets.UTF_8.encode(line + "\n"));
        line = Heddle.cancelWhen(ours.draining(), () -> client.readLine());
      }
    } catch (WaitCancelledException _) {
      // the server stops, and this client has nothing in hand
    }
    // @end
  }

  @Test
  void unix(@TempDir Path folder) {
    String line =
        Heddle.run(() -> {
          // @start region=unix
          Path path = folder.resolve("control.socket");
          try (Listener listener = Unix.listen(path);
              AsyncIo client = Unix.connect(path);
              AsyncIo server = listener.accept()) {
            client.write(ByteBuffer.wrap("stop\n".getBytes(StandardCharsets.UTF_8)));
            return server.readLine();
          }
          // @end
        });
    assertThat(line).isEqualTo("stop");
  }

  @Test
  void udp() {
    InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    String heard =
        Heddle.run(() -> {
          // @start region=udp
          try (UdpSocket server = Udp.bind(local);
              UdpSocket client = Udp.connect(server.localAddress())) {
            client.write(StandardCharsets.UTF_8.encode("ping"));
            ByteBuffer datagram = ByteBuffer.allocate(1_500);
            SocketAddress from = server.receive(datagram, Deadline.after(Duration.ofSeconds(30)));
            server.send(datagram.flip(), from);
            ByteBuffer answer = ByteBuffer.allocate(1_500);
            client.read(answer);
            return StandardCharsets.UTF_8.decode(answer.flip()).toString();
          }
          // @end
        });
    assertThat(heard).isEqualTo("ping");
  }

  @Test
  void poll() throws IOException {
    java.nio.channels.Pipe pipe = java.nio.channels.Pipe.open();
    int read =
        Heddle.run(() -> {
          Heddle.launch("writer", () -> pipe.sink().write(ByteBuffer.allocate(3)));
          // @start region=poll
          SelectableChannel channel = pipe.source(); // a library's
          channel.configureBlocking(false);
          try (Poll poll = Poll.of(channel)) {
            Heddle.await(poll.readable());
          }
          // @end
          return pipe.source().read(ByteBuffer.allocate(10));
        });
    assertThat(read).isEqualTo(3);
    pipe.source().close();
    pipe.sink().close();
  }
}
