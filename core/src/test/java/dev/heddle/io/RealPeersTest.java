// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Heddle;
import dev.heddle.io.conformance.Certificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Other people's programs at the other end.
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RealPeersTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static final String NO_OPENSSL = "openssl is not installed: not proved here is that ";

  private static boolean hasOpenssl() throws InterruptedException {
    try {
      return new ProcessBuilder("openssl", "version").start().waitFor() == 0;
    } catch (IOException _) {
      return false;
    }
  }

  @Test
  void client_ofOpenssl_isServed() throws Exception {
    assumeTrue(hasOpenssl(), NO_OPENSSL + "its client is served");
    Heddle.run(() -> {
      try (Listener listener = Tcp.listen(ANY)) {
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        Process openssl =
            new ProcessBuilder("openssl", "s_client", "-quiet", "-connect", "127.0.0.1:" + port)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (TlsSocket tls = Tls.server(listener.accept(), Certificates.SERVER)) {
          Heddle.offload(() -> {
            openssl.getOutputStream().write("hello\n".getBytes(StandardCharsets.UTF_8));
            openssl.getOutputStream().flush();
            return null;
          });
          assertThat(tls.readLine()).isEqualTo("hello");
          tls.write(StandardCharsets.UTF_8.encode("from heddle\n"));
          assertThat(Heddle.offload(() -> openssl.inputReader().readLine()))
              .isEqualTo("from heddle");
        } finally {
          openssl.destroy();
        }
      }
    });
  }

  @Test
  void server_ofOpenssl_answers(@TempDir Path folder) throws Exception {
    assumeTrue(hasOpenssl(), NO_OPENSSL + "its server answers");
    Path keys = folder.resolve("keys.p12");
    Certificates.store(keys);
    Path pem = folder.resolve("keys.pem");
    Process convert =
        new ProcessBuilder(
                List.of(
                    "openssl",
                    "pkcs12",
                    "-in",
                    keys.toString(),
                    "-nodes",
                    "-passin",
                    "pass:" + Certificates.password(),
                    "-out",
                    pem.toString()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(convert.waitFor()).isZero();
    assertThat(Files.size(pem)).isPositive();
    Process openssl =
        new ProcessBuilder(
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", pem.toString(), "-rev")
            .redirectErrorStream(true)
            .start();
    try {
      String said = openssl.inputReader().readLine();
      while (!said.startsWith("ACCEPT")) {
        said = openssl.inputReader().readLine();
      }
      int port = Integer.parseInt(said.substring(said.lastIndexOf(':') + 1).trim());
      String reversed =
          Heddle.run(() -> {
            try (TlsSocket tls = Tls.connect("localhost", port, Certificates.CLIENT)) {
              tls.write(StandardCharsets.UTF_8.encode("heddle\n"));
              return tls.readLine();
            }
          });
      assertThat(reversed).isEqualTo("elddeh");
    } finally {
      openssl.destroy();
    }
  }
}
