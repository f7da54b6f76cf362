// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/// Opens TCP connections and listeners on the current loop.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=tcp}
///
/// @since 0.1
public final class Tcp {
  private Tcp() {}

  /// Listens on an address; port 0 lets the system choose. **Suspends** never.
  ///
  /// @throws BindException when the address is in use or not local; the message names it
  /// @throws IOException when the system refuses otherwise
  public static Listener listen(SocketAddress address) throws IOException {
    return listen(address, TcpOptions.defaults());
  }

  /// Listens on an address, with options. Otherwise as [#listen(SocketAddress)].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver lacks an option
  public static Listener listen(SocketAddress address, TcpOptions options) throws IOException {
    InetSocketAddress local = Internet.resolved(address);
    return StreamSockets.listen(
        Internet.familyToBind(local),
        local,
        options.backlog(),
        options::applyTo,
        options::applyToAccepted);
  }

  /// Serves an address: each connection runs `handler` in its own coroutine. Port 0 lets the system
  /// choose; see [Server#address]. Otherwise as [#listen(SocketAddress)].
  ///
  /// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=serve}
  public static Server serve(SocketAddress address, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return serve(address, ServerOptions.defaults(), handler);
  }

  /// Serves an address, with options. Otherwise as [#serve(SocketAddress, ConnectionHandler)].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver lacks an option
  public static Server serve(
      SocketAddress address, ServerOptions options, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return StreamSockets.served(listen(address, options.tcp()), options, handler);
  }

  /// Connects to an address. **Suspends** until the peer has answered. **Cancelled** the attempt is
  /// abandoned.
  ///
  /// @throws ConnectException when the peer refuses; the message names the address
  /// @throws UnknownHostException when the address was not resolved
  /// @throws IOException when the system refuses otherwise
  public static StreamSocket connect(SocketAddress address) throws IOException {
    return connect(address, TcpOptions.defaults());
  }

  /// Connects to an address, with options. Otherwise as [#connect(SocketAddress)].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver lacks an option
  public static StreamSocket connect(SocketAddress address, TcpOptions options) throws IOException {
    InetSocketAddress remote = Internet.resolved(address);
    return StreamSockets.connect(Internet.family(remote), remote, options::applyTo);
  }

  /// Connects to the first address of a host that accepts (Happy Eyeballs, RFC 8305). The addresses
  /// are tried in the order of [Dns#resolve], alternating between IPv4 and IPv6; the next attempt
  /// begins in parallel when one has failed, or 250 ms after the previous one began
  /// ([TcpOptions#withConnectionAttemptDelay]). **Suspends** until one has connected and the others
  /// are abandoned, or all have failed. **Cancelled** all attempts are abandoned.
  ///
  /// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=byName}
  ///
  /// @param host a name, or an address as text; not empty
  /// @throws UnknownHostException when there is no such host, or no resolver could answer
  /// @throws ConnectException when no address accepts; the message names each with its reason, and
  ///   each failure is a suppressed exception
  /// @throws IOException when there is one address only, and the system refuses otherwise
  /// @throws IllegalArgumentException when the port is invalid
  public static StreamSocket connect(String host, int port) throws IOException {
    return connect(host, port, TcpOptions.defaults());
  }

  /// Connects to a host, with options. Otherwise as [#connect(String, int)].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver lacks an option
  public static StreamSocket connect(String host, int port, TcpOptions options) throws IOException {
    var _ = InetSocketAddress.createUnresolved(host, port); // checks the port before the look-up
    return HappyEyeballs.connect(
        host,
        options.ofLocalFamily(Dns.resolve(host)),
        port,
        options.connectionAttemptDelay(),
        address -> connect(address, options));
  }
}
