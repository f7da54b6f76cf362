// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;

/// Trusts what another manager trusts, and names in a refusal the certificate of the other node and
/// the authorities of this one. Authorities may have one name and different keys, so each is shown
/// with the begin of its fingerprint. **Thread** any.
///
/// A certificate that is not trusted may be of any program that has reached the port. Its names go
/// into the log and to terminals, so they are cut, and hold no characters that control these.
final class NamedRefusals extends X509ExtendedTrustManager {
  private static final int FINGERPRINT_BYTES = 4; // of SHA-256: enough to see that two differ

  private final X509ExtendedTrustManager manager;

  private NamedRefusals(X509ExtendedTrustManager manager) {
    this.manager = manager;
  }

  /// The same managers, those for certificates with names in their refusals.
  static TrustManager[] in(TrustManager... managers) {
    return Stream.of(managers)
        .map(it -> it instanceof X509ExtendedTrustManager one ? new NamedRefusals(one) : it)
        .toArray(TrustManager[]::new);
  }

  private interface Check {
    void run() throws CertificateException;
  }

  private void check(X509Certificate[] chain, Check check) throws CertificateException {
    try {
      check.run();
    } catch (CertificateException e) {
      throw new CertificateException(
          "its certificate %s is refused, this node trusts %s: %s"
              .formatted(shown(chain), authorities(), Printable.of(String.valueOf(e.getMessage()))),
          e);
    }
  }

  private static String shown(X509Certificate... chain) {
    String subject = name(chain[0].getSubjectX500Principal());
    return chain.length == 1
        ? "%s of %s".formatted(subject, name(chain[0].getIssuerX500Principal()))
        : "%s of %s".formatted(subject, authority(chain[chain.length - 1]));
  }

  private String authorities() {
    return Stream.of(manager.getAcceptedIssuers())
        .map(NamedRefusals::authority)
        .collect(Collectors.joining(", "));
  }

  private static String authority(X509Certificate certificate) {
    String name = name(certificate.getSubjectX500Principal());
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return "%s [%s]".formatted(name, HexFormat.of().formatHex(hash, 0, FINGERPRINT_BYTES));
    } catch (GeneralSecurityException _) {
      return name; // safe: only the words of a refusal are shorter
    }
  }

  private static String name(X500Principal principal) {
    return Printable.of(principal.getName());
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return manager.getAcceptedIssuers();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    check(chain, () -> manager.checkClientTrusted(chain, authType, socket));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    check(chain, () -> manager.checkServerTrusted(chain, authType, socket));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    check(chain, () -> manager.checkClientTrusted(chain, authType, engine));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    check(chain, () -> manager.checkServerTrusted(chain, authType, engine));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    check(chain, () -> manager.checkClientTrusted(chain, authType));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    check(chain, () -> manager.checkServerTrusted(chain, authType));
  }
}
