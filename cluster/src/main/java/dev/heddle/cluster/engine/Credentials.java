// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Enumeration;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// The key of a node and the certificates that it trusts, from files.
public final class Credentials {
  private Credentials() {}

  /// Reads both PKCS12 stores.
  ///
  /// @param keys with one key and its certificate
  /// @param trusted with the certificates that others' must be signed by
  /// @param password of both stores, and of the key
  /// @throws IOException when a file cannot be read, or holds no key or no trusted certificate; the
  ///   message names the file
  public static SSLContext load(Path keys, Path trusted, char[] password) throws IOException {
    KeyStore keyStore = read(keys, password);
    KeyStore trustStore = read(trusted, password);
    try {
      if (!any(keyStore, Kind.KEY)) {
        throw new IOException(keys + " holds no private key; make one with ./heddle cluster certs");
      }
      if (!any(trustStore, Kind.CERTIFICATE)) {
        throw new IOException(
            trusted + " holds no trusted certificate; make it with ./heddle cluster certs");
      }
      var keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keyManagers.init(keyStore, password);
      var trustManagers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trustManagers.init(trustStore);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(
          keyManagers.getKeyManagers(), NamedRefusals.in(trustManagers.getTrustManagers()), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "cannot use the key of " + keys + " with the password given: " + e.getMessage(), e);
    }
  }

  private static KeyStore read(Path file, char[] password) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, password);
      return store;
    } catch (NoSuchFileException e) {
      throw new IOException(file + " does not exist; make it with ./heddle cluster certs", e);
    } catch (GeneralSecurityException | IOException e) {
      throw new IOException(
          "cannot read " + file + " as a PKCS12 store with the password given: " + e.getMessage(),
          e);
    }
  }

  private enum Kind {
    KEY,
    CERTIFICATE
  }

  private static boolean any(KeyStore store, Kind kind) throws GeneralSecurityException {
    for (Enumeration<String> names = store.aliases(); names.hasMoreElements(); ) {
      String name = names.nextElement();
      if (kind == Kind.KEY ? store.isKeyEntry(name) : store.isCertificateEntry(name)) {
        return true;
      }
    }
    return false;
  }
}
