// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/// How TLS is spoken. An immutable value; start from [#defaults()] or [#of(SSLContext)] and change
/// what matters.
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

  /// The JVM's own context: trusts whom the JDK trusts, and has no certificate; for clients.
  ///
  /// @throws IllegalStateException when the JVM has none
  public static TlsOptions defaults() {
    try {
      return of(SSLContext.getDefault());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no TLS to offer: " + e.getMessage(), e);
    }
  }

  /// A context with keys and certificates of its own; for servers, and for clients that trust
  /// others than the JDK does.
  public static TlsOptions of(SSLContext context) {
    return new TlsOptions(
        Objects.requireNonNull(context, "context"),
        List.of(),
        DEFAULT_HANDSHAKE_TIMEOUT,
        true,
        p -> {});
  }

  /// The same, offering application protocols to the other side (ALPN), the best first: `h2`,
  /// `http/1.1`.
  public TlsOptions withProtocols(String... offered) {
    return new TlsOptions(context, List.of(offered), handshakeTimeout, hostnameCheck, parameters);
  }

  /// The same with another limit for the handshake; default 10 s.
  ///
  /// @throws IllegalArgumentException unless it is positive
  public TlsOptions withHandshakeTimeout(Duration limit) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("a limit must be positive, not " + limit);
    }
    return new TlsOptions(context, protocols, limit, hostnameCheck, parameters);
  }

  /// The same for clients that take a certificate of any name, which makes whoever has one able to
  /// stand in for the server: for tests, and where the name is checked otherwise.
  public TlsOptions withoutHostnameCheck() {
    return new TlsOptions(context, protocols, handshakeTimeout, false, parameters);
  }

  /// The same, with `change` done to the JDK's parameters as the last thing: cipher suites,
  /// versions, client certificates.
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
