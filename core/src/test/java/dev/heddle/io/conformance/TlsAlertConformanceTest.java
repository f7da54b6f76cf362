// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Tls;
import dev.heddle.io.TlsOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What the other side is told when a handshake fails: it is a socket of the JDK's, which puts the
/// alert's name into its exception.
@ParameterizedClass(name = "{0}, {1}")
@MethodSource("cells")
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsAlertConformanceTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private final String driver;
  private final String version;

  TlsAlertConformanceTest(String driver, String version) {
    this.driver = driver;
    this.version = version;
  }

  static Stream<Arguments> cells() {
    return Cell.drivers()
        .flatMap(driver ->
            Stream.of("TLSv1.2", "TLSv1.3").map(version -> Arguments.of(driver, version)));
  }

  private TlsOptions ofVersion(TlsOptions options) {
    return options.withParameters(p -> p.setProtocols(new String[] {version}));
  }

  /// Our client fails; what its server has heard.
  private String heardByServer(String host, TlsOptions options) {
    return heard(() -> {
      try (SSLServerSocket listening =
          (SSLServerSocket)
              Certificates.ofServer().getServerSocketFactory().createServerSocket(0, 1, HERE)) {
        Coroutine<String> peer =
            Heddle.spawn(() -> Heddle.offload(() -> said((SSLSocket) listening.accept())));
        StreamSocket ours = Tcp.connect(listening.getLocalSocketAddress());
        assertThatThrownBy(() -> Tls.client(ours, host, 1, ofVersion(options)))
            .isInstanceOf(SSLException.class);
        return peer.await();
      }
    });
  }

  /// Our server fails; what its client has heard.
  private String heardByClient(String clientVersion, TlsOptions options) {
    return heard(() -> {
      try (Listener listener = Tcp.listen(new InetSocketAddress(HERE, 0))) {
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        Coroutine<String> peer =
            Heddle.spawn(() -> Heddle.offload(() -> said(connected(HERE, port, clientVersion))));
        StreamSocket ours = listener.accept();
        assertThatThrownBy(() -> Tls.server(ours, ofVersion(options)))
            .isInstanceOf(SSLException.class);
        return peer.await();
      }
    });
  }

  private interface Talk {
    String talk() throws Exception;
  }

  private String heard(Talk talk) {
    StringBuilder heard = new StringBuilder();
    Cell.run(driver, () -> heard.append(talk.talk()));
    return heard.toString();
  }

  private static SSLSocket connected(InetAddress host, int port, String version)
      throws IOException, GeneralSecurityException {
    SSLSocket socket =
        (SSLSocket) Certificates.ofClient().getSocketFactory().createSocket(host, port);
    socket.setEnabledProtocols(new String[] {version});
    return socket;
  }

  /// What a blocking peer ends with, that only reads.
  private static String said(SSLSocket socket) throws IOException {
    try (socket) {
      return "no failure, but " + socket.getInputStream().read();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void client_thatDislikesTheName_tellsTheServerSo() {
    assertThat(heardByServer("example.org", Certificates.CLIENT))
        .contains("Received fatal alert: certificate_unknown");
  }

  @Test
  void client_withoutTrustedCertificates_sendsTheServerAnAlert() {
    TlsOptions usual = TlsOptions.defaults().withHandshakeTimeout(Certificates.PATIENCE);
    assertThat(heardByServer("localhost", usual))
        .contains("Received fatal alert: certificate_unknown");
  }

  @Test
  void server_thatMissesACertificate_tellsTheClientSo() {
    TlsOptions strict =
        Certificates.SERVER.withParameters(p -> {
          p.setProtocols(new String[] {version});
          p.setNeedClientAuth(true);
        });
    assertThat(heardByClient(version, strict)).contains("Received fatal alert: ");
  }

  @Test
  void server_ofAnotherVersion_tellsTheClientSo() {
    String other = version.equals("TLSv1.3") ? "TLSv1.2" : "TLSv1.3";
    assertThat(heardByClient(other, Certificates.SERVER))
        .contains("Received fatal alert: protocol_version");
  }
}
