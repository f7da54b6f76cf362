// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.conformance.Certificates;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What TLS adds to a stream: who the other side is, and whether all that it sent has come.
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /// Runs with both ends of a connection.
  private static void run(Exchange exchange) {
    Heddle.run(() ->
        Heddle.supervise(() -> {
          try (Listener listener = Tcp.listen(ANY);
              StreamSocket client = Tcp.connect(listener.localAddress());
              StreamSocket server = listener.accept()) {
            exchange.run(client, server);
          }
        }));
  }

  @FunctionalInterface
  private interface Exchange {
    void run(StreamSocket client, StreamSocket server) throws Exception;
  }

  private static TlsOptions version(TlsOptions options, String version) {
    return options.withParameters(p -> p.setProtocols(new String[] {version}));
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void versions_carryBytesAndEnds(String version) {
    run((client, server) -> {
      Coroutine<String> heard =
          Heddle.spawn(() -> {
            TlsSocket tls = Tls.server(server, version(Certificates.SERVER, version));
            String line = tls.readLine();
            tls.write(StandardCharsets.UTF_8.encode("answer"));
            tls.shutdownOutput();
            return line;
          });
      TlsSocket tls = Tls.client(client, "localhost", 1, version(Certificates.CLIENT, version));
      tls.write(StandardCharsets.UTF_8.encode("question\n"));
      assertThat(new String(tls.inputStream().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo("answer");
      assertThat(tls.session().getProtocol()).isEqualTo(version);
      assertThat(heard.await()).isEqualTo("question");
    });
  }

  @Test
  void protocols_areAgreedOn() {
    run((client, server) -> {
      Coroutine<TlsSocket> other =
          Heddle.spawn(
              () -> Tls.server(server, Certificates.SERVER.withProtocols("http/1.1", "h2")));
      TlsSocket tls =
          Tls.client(client, "localhost", 1, Certificates.CLIENT.withProtocols("h2", "http/1.1"));
      assertThat(tls.protocol()).isEqualTo(other.await().protocol()).isNotEmpty();
    });
  }

  @Test
  void certificate_ofAnotherName_isRefused() {
    run((client, server) -> {
      Coroutine<TlsSocket> other = Heddle.spawn(() -> Tls.server(server, Certificates.SERVER));
      assertThatThrownBy(() -> Tls.client(client, "example.org", 1, Certificates.CLIENT))
          .isInstanceOf(SSLHandshakeException.class)
          .hasMessageContaining("example.org");
      assertThat(client.isOpen()).isFalse();
      assertThatThrownBy(other::await).isInstanceOf(CoroutineException.class);
      assertThat(server.isOpen()).isFalse();
    });
  }

  @Test
  void certificate_ofAnotherName_isTakenWithoutTheCheck() {
    run((client, server) -> {
      Coroutine<TlsSocket> other = Heddle.spawn(() -> Tls.server(server, Certificates.SERVER));
      TlsOptions careless = Certificates.CLIENT.withoutHostnameCheck();
      assertThat(Tls.client(client, "example.org", 1, careless).isOpen()).isTrue();
      other.await();
    });
  }

  @Test
  void certificate_thatIsNotTrusted_isRefused() {
    run((client, server) -> {
      Coroutine<TlsSocket> other = Heddle.spawn(() -> Tls.server(server, Certificates.SERVER));
      TlsOptions usual = TlsOptions.defaults().withHandshakeTimeout(Certificates.PATIENCE);
      assertThatThrownBy(() -> Tls.client(client, "localhost", 1, usual))
          .isInstanceOf(SSLHandshakeException.class);
      assertThatThrownBy(other::await).isInstanceOf(CoroutineException.class);
    });
  }

  @Test
  void connection_thatWasCut_isNoEnd() {
    run((client, server) -> {
      Coroutine<TlsSocket> other = Heddle.spawn(() -> Tls.server(server, Certificates.SERVER));
      TlsSocket tls = Tls.client(client, "localhost", 1, Certificates.CLIENT);
      other.await().write(ByteBuffer.allocate(10));
      server.close();
      tls.readFully(ByteBuffer.allocate(10));
      assertThatThrownBy(() -> tls.read(ByteBuffer.allocate(1)))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("without close_notify");
    });
  }

  @Test
  void close_saysSoToTheOtherSide() {
    run((client, server) -> {
      Coroutine<TlsSocket> other = Heddle.spawn(() -> Tls.server(server, Certificates.SERVER));
      TlsSocket tls = Tls.client(client, "localhost", 1, Certificates.CLIENT);
      other.await().close();
      assertThat(tls.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    });
  }

  @Test
  void peer_thatSaysNothing_isGivenUp() {
    run((client, server) -> {
      TlsOptions hasty = Certificates.CLIENT.withHandshakeTimeout(Duration.ofMillis(20));
      assertThatThrownBy(() -> Tls.client(client, "localhost", 1, hasty))
          .isInstanceOf(DeadlineException.class);
      assertThat(client.isOpen()).isFalse();
    });
  }

  @Test
  void peer_thatSpeaksNoTls_isRefused() {
    run((client, server) -> {
      server.write(StandardCharsets.UTF_8.encode("SSH-2.0-OpenSSH\r\n"));
      assertThatThrownBy(() -> Tls.client(client, "localhost", 1, Certificates.CLIENT))
          .isInstanceOf(IOException.class);
    });
  }
}
