// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.io.Tls;
import dev.heddle.io.TlsOptions;
import dev.heddle.io.TlsSocket;
import dev.heddle.io.conformance.Certificates;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The examples of the documentation of TLS.
@Tag("once")
class TlsSnippetsTest {
  @Test
  void client() {
    String line =
        Heddle.run(() -> {
          try (Listener listener =
              Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Heddle.launch(
                "server",
                () -> {
                  try (TlsSocket peer = Tls.server(listener.accept(), Certificates.SERVER)) {
                    peer.write(StandardCharsets.UTF_8.encode(peer.readLine() + ", too\n"));
                    peer.shutdownOutput();
                  }
                });
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            TlsOptions trusting = Certificates.CLIENT;
            // @start region=client
            try (TlsSocket server = Tls.connect("localhost", port, trusting)) {
              server.write(StandardCharsets.UTF_8.encode("hello\n"));
              return server.readLine();
            }
            // @end
          }
        });
    assertThat(line).isEqualTo("hello, too");
  }

  @Test
  void options() {
    // @start region=options
    TlsOptions options =
        TlsOptions.defaults()
            .withProtocols("h2", "http/1.1")
            .withHandshakeTimeout(Duration.ofSeconds(5))
            .withParameters(p -> p.setProtocols(new String[] {"TLSv1.3"}));
    // @end
    assertThat(options).isNotNull();
  }
}
