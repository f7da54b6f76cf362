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

/// TLS over the handles of the current loop, by the JDK's own engine.
///
/// {@snippet class=dev.heddle.snippets.TlsSnippetsTest region=client}
///
/// @since 0.1
public final class Tls {
  private Tls() {}

  /// Connects to a host, at whichever of its addresses takes the connection first, as
  /// [Tcp#connect(String, int)] does, and agrees on TLS with it; its certificate must be for the
  /// name. **Suspends** until both are done; when they cannot agree, until the other side has heard
  /// why and closes, a second at most. **Cancelled** the attempt is given up.
  ///
  /// @throws javax.net.ssl.SSLHandshakeException when the other side is not whom it claims to be,
  ///   or shares no version or cipher suite
  /// @throws dev.heddle.DeadlineException when the handshake takes longer than the options allow
  /// @throws IllegalArgumentException when the options have a cipher suite or a version that there
  ///   is not
  /// @throws IOException when the connection cannot be made, or breaks
  public static TlsSocket connect(String host, int port, TlsOptions options) throws IOException {
    return connect(host, port, TcpOptions.defaults(), options);
  }

  /// Connects to a host with options of the connection, too. Else as [#connect(String, int,
  /// TlsOptions)].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver lacks an option
  public static TlsSocket connect(String host, int port, TcpOptions tcp, TlsOptions options)
      throws IOException {
    return client(Tcp.connect(host, port, tcp), host, port, options);
  }

  /// Agrees on TLS over a connection, as its client; the connection is closed when that fails. Else
  /// as [#connect(String, int, TlsOptions)].
  ///
  /// @param host the name that the other side's certificate must be for
  public static TlsSocket client(AsyncIo over, String host, int port, TlsOptions options)
      throws IOException {
    return handshaken(over, () -> options.context().createSSLEngine(host, port), true, options);
  }

  /// Agrees on TLS over a connection, as its server; the connection is closed when that fails. Else
  /// as [#connect(String, int, TlsOptions)].
  ///
  /// @param options with a certificate of its own: [TlsOptions#of]
  public static TlsSocket server(AsyncIo over, TlsOptions options) throws IOException {
    return handshaken(over, () -> options.context().createSSLEngine(), false, options);
  }

  /// Serves an address over TLS: each connection has a coroutine that agrees on TLS with the
  /// client, and then runs `handler`. Who does not agree is logged as a failure of its connection.
  /// Else as [Tcp#serve(SocketAddress, ConnectionHandler)].
  ///
  /// @param tls with a certificate of its own: [TlsOptions#of]
  public static Server serve(
      SocketAddress address, TlsOptions tls, ConnectionHandler<? super TlsSocket> handler)
      throws IOException {
    return serve(address, tls, ServerOptions.defaults(), handler);
  }

  /// Serves an address over TLS, with options. Else as [#serve(SocketAddress, TlsOptions,
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
      options.applyTo(parameters, client); // the program's code: it may throw
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
