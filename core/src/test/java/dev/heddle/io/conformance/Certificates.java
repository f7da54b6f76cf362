// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import dev.heddle.io.TlsOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A certificate for `localhost` that its own side has signed, made by the JDK's `keytool` when it
/// is first asked for.
public final class Certificates {
  /// A server that has the certificate.
  public static final TlsOptions SERVER;

  /// A client that trusts it.
  public static final TlsOptions CLIENT;

  /// Against hanging only: a machine that is busy agrees late.
  public static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final String PASSWORD = "changeit"; // of a key that is thrown away
  private static final KeyStore STORE = make("localhost");

  static {
    try {
      SERVER = TlsOptions.of(withKeys(STORE)).withHandshakeTimeout(PATIENCE);
      CLIENT = TlsOptions.of(trusting(STORE)).withHandshakeTimeout(PATIENCE);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private Certificates() {}

  /// For a server of the JDK's.
  static SSLContext ofServer() throws GeneralSecurityException {
    return withKeys(STORE);
  }

  /// For a client of the JDK's.
  static SSLContext ofClient() throws GeneralSecurityException {
    return trusting(STORE);
  }

  /// A server whose certificate nobody trusts.
  static TlsOptions stranger() throws GeneralSecurityException {
    return TlsOptions.of(withKeys(make("localhost"))).withHandshakeTimeout(PATIENCE);
  }

  /// A server with a trusted certificate, as a PKCS #12 file for other programs.
  public static void store(Path file) throws IOException, GeneralSecurityException {
    try (var out = Files.newOutputStream(file)) {
      STORE.store(out, PASSWORD.toCharArray());
    }
  }

  public static String password() {
    return PASSWORD;
  }

  private static KeyStore make(String host) {
    try {
      Path folder = Files.createTempDirectory("keys");
      Path file = folder.resolve("keys.p12");
      Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
      Process process =
          new ProcessBuilder(
                  List.of(
                      keytool.toString(),
                      "-genkeypair",
                      "-alias",
                      "server",
                      "-keyalg",
                      "EC",
                      "-dname",
                      "CN=" + host,
                      "-ext",
                      "san=dns:" + host,
                      "-storetype",
                      "PKCS12",
                      "-keystore",
                      file.toString(),
                      "-storepass",
                      PASSWORD))
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("keytool: " + said);
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(file)) {
        store.load(in, PASSWORD.toCharArray());
      }
      Files.delete(file);
      Files.delete(folder);
      return store;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SSLContext withKeys(KeyStore store) throws GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private static SSLContext trusting(KeyStore store) throws GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    try {
      trusted.load(null, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    trusted.setCertificateEntry("server", store.getCertificate("server"));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
