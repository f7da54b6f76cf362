// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.TlsHandle;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/// Opens TLS connections and servers on the current loop, using the JDK's TLS engine.
///
/// {@snippet class=dev.heddle.snippets.TlsSnippetsTest region=client}
///
/// @since 0.1
public final class Tls {
  private Tls() {}

  /// Connects to a host as [Tcp#connect(String, int)] does and performs the TLS handshake; the
  /// certificate must match the host name. **Suspends** until both are done; if the handshake
  /// fails, until the peer has received the alert and closes, for a second at most. **Cancelled**
  /// the attempt is abandoned.
  ///
  /// @throws javax.net.ssl.SSLHandshakeException when the peer's certificate is not trusted or does
  ///   not match, or no version or cipher suite is shared
  /// @throws dev.heddle.DeadlineException when the handshake takes longer than the options allow
  /// @throws IllegalArgumentException when the options name an unknown cipher suite or version
  /// @throws IOException when the connection cannot be made or fails
  public static TlsSocket connect(String host, int port, TlsOptions options) throws IOException {
    return connect(host, port, TcpOptions.defaults(), options);
  }

  /// Connects to a host with TCP options. Otherwise as [#connect(String, int, TlsOptions)].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver lacks an option
  public static TlsSocket connect(String host, int port, TcpOptions tcp, TlsOptions options)
      throws IOException {
    return client(Tcp.connect(host, port, tcp), host, port, options);
  }

  /// Performs the TLS handshake as client over an open connection, which is closed if that fails.
  /// Otherwise as [#connect(String, int, TlsOptions)].
  ///
  /// @param host the name that the peer's certificate must match
  public static TlsSocket client(AsyncIo over, String host, int port, TlsOptions options)
      throws IOException {
    return handshaken(over, () -> options.context().createSSLEngine(host, port), true, options);
  }

  /// Performs the TLS handshake as server over an open connection, which is closed if that fails.
  /// Otherwise as [#connect(String, int, TlsOptions)].
  ///
  /// @param options with a certificate: [TlsOptions#of]
  public static TlsSocket server(AsyncIo over, TlsOptions options) throws IOException {
    return handshaken(over, () -> options.context().createSSLEngine(), false, options);
  }

  /// Serves an address over TLS: each connection has a coroutine that performs the handshake with
  /// the client and then runs `handler`. A failed handshake is logged as a failure of its
  /// connection. Otherwise as [Tcp#serve(SocketAddress, ConnectionHandler)].
  ///
  /// @param tls with a certificate: [TlsOptions#of]
  public static Server serve(
      SocketAddress address, TlsOptions tls, ConnectionHandler<? super TlsSocket> handler)
      throws IOException {
    return serve(address, tls, ServerOptions.defaults(), handler);
  }

  /// Serves an address over TLS, with options. Otherwise as [#serve(SocketAddress, TlsOptions,
  /// ConnectionHandler)].
  public static Server serve(
      SocketAddress address,
      TlsOptions tls,
      ServerOptions options,
      ConnectionHandler<? super TlsSocket> handler)
      throws IOException {
    Objects.requireNonNull(tls, "tls");
    Objects.requireNonNull(handler, "handler");
    return Tcp.serve(
        address,
        options,
        connection -> {
          try (TlsSocket secure = server(connection, tls)) {
            handler.serve(secure);
          }
        });
  }

  private static TlsSocket handshaken(
      AsyncIo over, Supplier<SSLEngine> maker, boolean client, TlsOptions options)
      throws IOException {
    boolean agreed = false;
    try {
      SSLEngine engine = maker.get();
      engine.setUseClientMode(client);
      SSLParameters parameters = engine.getSSLParameters();
      options.applyTo(parameters, client); // user code: it may throw
      engine.setSSLParameters(parameters);
      CoroutineNode<?> self = CoroutineNode.current();
      TlsHandle handle = new TlsHandle(self, over, engine);
      self.withTimeout(options.handshakeTimeout(), handle::handshake);
      agreed = true;
      return handle;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("a handshake throws only " + e.getClass(), e);
    } finally {
      if (!agreed) {
        over.close();
      }
    }
  }
}
