// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/// Options of TLS connections. An immutable value; start from [#defaults()] or [#of(SSLContext)]
/// and change what matters.
///
/// {@snippet class=dev.heddle.snippets.TlsSnippetsTest region=options}
///
/// @since 0.1
public final class TlsOptions {
  private static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

  private final SSLContext context;
  private final List<String> protocols;
  private final Duration handshakeTimeout;
  private final boolean hostnameCheck;
  private final Consumer<SSLParameters> parameters;

  private TlsOptions(
      SSLContext context,
      List<String> protocols,
      Duration handshakeTimeout,
      boolean hostnameCheck,
      Consumer<SSLParameters> parameters) {
    this.context = context;
    this.protocols = protocols;
    this.handshakeTimeout = handshakeTimeout;
    this.hostnameCheck = hostnameCheck;
    this.parameters = parameters;
  }

  /// The JVM's default context, for clients: it trusts what the JDK trusts and has no certificate.
  ///
  /// @throws IllegalStateException when the JVM has no TLS
  public static TlsOptions defaults() {
    try {
      return of(SSLContext.getDefault());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no TLS: " + e.getMessage(), e);
    }
  }

  /// A given context: for servers, and for clients with certificates or trust anchors of their own.
  public static TlsOptions of(SSLContext context) {
    return new TlsOptions(
        Objects.requireNonNull(context, "context"),
        List.of(),
        DEFAULT_HANDSHAKE_TIMEOUT,
        true,
        p -> {});
  }

  /// Returns options that offer application protocols (ALPN), the preferred one first: `h2`,
  /// `http/1.1`.
  public TlsOptions withProtocols(String... offered) {
    return new TlsOptions(context, List.of(offered), handshakeTimeout, hostnameCheck, parameters);
  }

  /// Returns options with another timeout for the handshake; the default is 10 s.
  ///
  /// @throws IllegalArgumentException when it is not positive
  public TlsOptions withHandshakeTimeout(Duration limit) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("a handshake timeout must be positive, not " + limit);
    }
    return new TlsOptions(context, protocols, limit, hostnameCheck, parameters);
  }

  /// Returns options for clients that accept a trusted certificate of any name. Anyone with such a
  /// certificate can then impersonate the server: for tests, and where the name is checked in
  /// another way.
  public TlsOptions withoutHostnameCheck() {
    return new TlsOptions(context, protocols, handshakeTimeout, false, parameters);
  }

  /// Returns options that finally apply `change` to the JDK's parameters: cipher suites, versions,
  /// client certificates.
  public TlsOptions withParameters(Consumer<SSLParameters> change) {
    Objects.requireNonNull(change, "change");
    return new TlsOptions(
        context, protocols, handshakeTimeout, hostnameCheck, parameters.andThen(change));
  }

  SSLContext context() {
    return context;
  }

  Duration handshakeTimeout() {
    return handshakeTimeout;
  }

  void applyTo(SSLParameters to, boolean client) {
    to.setApplicationProtocols(protocols.toArray(String[]::new));
    if (client && hostnameCheck) {
      to.setEndpointIdentificationAlgorithm("HTTPS");
    }
    parameters.accept(to);
  }
}
