// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.io.Unix;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
}
