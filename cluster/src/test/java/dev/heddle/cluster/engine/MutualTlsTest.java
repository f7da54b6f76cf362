// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static dev.heddle.cluster.engine.EngineProbe.next;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Certificates, over real sockets: who may join, and what both sides say when one may not.
@Timeout(600)
class MutualTlsTest {
  @TempDir static Path dir;

  static Certificates ours;
  static Certificates theirs;
  static SSLContext a;
  static SSLContext b;
  static SSLContext stranger;

  @BeforeAll
  static void make() throws Exception {
    ours = Certificates.in(dir.resolve("ours"));
    a = ours.context("a");
    b = ours.context("b");
    theirs = Certificates.in(dir.resolve("theirs"));
    stranger = Credentials.load(theirs.keys("x"), ours.trusted(), Certificates.PASSWORD);
  }

  @Test
  void certificatesOfOneAuthority_packetsTravel() throws Exception {
    int one = TestPorts.next();
    int two = TestPorts.next();
    try (var left = EngineProbe.open("a", one, a, two);
        var right = EngineProbe.open("b", two, b, one)) {
      byte[] packet = new byte[100_000];
      packet[99_999] = 7;
      left.engine.send(left.waitFor(right), packet, Engine.Urgency.IN_ORDER);
      assertThat(next(right.packets).content()).isEqualTo(packet);
    }
  }

  @Test
  void certificateOfAnotherAuthority_isRefusedAndLoggedOnBothSides() throws Exception {
    String named =
        "CN=x of CN=test authority [%s] is refused, this node trusts CN=test authority [%s]: "
            .formatted(theirs.fingerprint(), ours.fingerprint());
    refused(a, stranger, named, "certificates do not fit (that of this node is refused: ");
  }

  /// Any program at an address of a seed, or of a client that has read the names of authorities,
  /// forged lines of the log, and sent escapes to terminals.
  @Test
  void nameInAnUntrustedCertificate_isAShortLineWithoutControlCharacters() throws Exception {
    String name = "CN=x\\0A12:00 ALL IS WELL\\0D\\1B[2J\\E2\\80\\AE\\C2\\85 " + "long".repeat(100);
    Path keys = Certificates.selfSigned(dir, "forger", name);
    SSLContext forger = Credentials.load(keys, ours.trusted(), Certificates.PASSWORD);
    int one = TestPorts.next();
    int two = TestPorts.next();
    try (var lines = new LogLines();
        var _ = EngineProbe.open("left", one, forger);
        var right = EngineProbe.open("right", two, a, one)) {
      String line =
          lines.waitFor("node 'right' cannot join the node at 127.0.0.1:", "is refused, this node");
      assertThat(line).contains("CN=x?12:00 ALL IS WELL??[2J?? longlong").contains("…");
      assertThat(line.chars()).noneMatch(Character::isISOControl);
      assertThat(line.length()).isLessThan(1_000); // two names, and the words around them
      assertThat(right.engine.refusedAddresses().get("to 127.0.0.1:" + one).chars())
          .noneMatch(Character::isISOControl);
      assertThat(right.found).isEmpty();
    }
  }

  @Test
  void noCertificate_isRefusedAndLoggedOnBothSides() throws Exception {
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    try (var in = Files.newInputStream(ours.trusted())) {
      var store = java.security.KeyStore.getInstance("PKCS12");
      store.load(in, Certificates.PASSWORD);
      trust.init(store);
    }
    SSLContext none = SSLContext.getInstance("TLSv1.3");
    none.init(null, trust.getTrustManagers(), null);
    refused(
        a,
        none,
        "certificates do not fit (it has none of an authority that this node trusts: ",
        "certificates do not fit (that of this node is refused: ");
  }

  @Test
  void plainAgainstTls_isRefusedAndLoggedOnBothSides() throws Exception {
    refused(a, null, "it speaks no TLS, this node does", "it wants TLS, this node speaks none");
  }

  @Test
  void tlsAgainstPlain_isRefusedAndLoggedOnBothSides() throws Exception {
    refused(null, b, "it speaks TLS, this node does not", "it speaks no TLS, this node does");
  }

  /// The second node tries to join the first, which has no seeds.
  private static void refused(
      @Nullable SSLContext first, @Nullable SSLContext second, String accepting, String connecting)
      throws Exception {
    int one = TestPorts.next();
    int two = TestPorts.next();
    try (var lines = new LogLines();
        var left = EngineProbe.open("left", one, first);
        var right = EngineProbe.open("right", two, second, one)) {
      lines.waitFor("node 'left' refused a connection from 127.0.0.1", accepting);
      lines.waitFor("node 'right' cannot join the node at 127.0.0.1:" + one, connecting);
      // Tried again by now, or soon: what is waited for is another attempt, not time.
      left.engine.awaitRefusedConnection();
      assertThat(left.found).isEmpty();
      assertThat(right.found).isEmpty();
      assertThat(lines.all()).hasSize(2);
      // and both see it in `ps`
      assertThat(left.engine.refusedAddresses().get("from 127.0.0.1")).contains(accepting);
      assertThat(right.engine.refusedAddresses().get("to 127.0.0.1:" + one)).contains(connecting);
    }
  }

  @Test
  void load_filesThatDoNotServe_nameTheFileAndWhatToDo() throws Exception {
    Path keys = dir.resolve("ours").resolve("a.p12");
    assertThatThrownBy(() -> Credentials.load(dir.resolve("no.p12"), keys, new char[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("no.p12", "does not exist", "./heddle cluster certs");
    assertThatThrownBy(() -> Credentials.load(keys, ours.trusted(), "wrong".toCharArray()))
        .hasMessageContainingAll("a.p12", "password");
    assertThatThrownBy(
            () -> Credentials.load(ours.trusted(), ours.trusted(), Certificates.PASSWORD))
        .hasMessageContainingAll("trust.p12", "no private key");
    assertThatThrownBy(() -> Credentials.load(keys, keys, Certificates.PASSWORD))
        .hasMessageContainingAll("a.p12", "no trusted certificate");
    assertThat(List.of(a, b)).doesNotContainNull();
  }
}
