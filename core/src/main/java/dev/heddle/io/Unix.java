// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;

/// Opens UNIX domain sockets on the current loop: connections between processes of one machine, by
/// the path of a file.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=unix}
///
/// @since 0.1
public final class Unix {
  private static final int BACKLOG = 1_024; // connections the system keeps while nobody accepts

  private Unix() {}

  /// Listens on a path that does not exist yet; the file stays when the listener is closed, and is
  /// to be deleted by whoever made it. **Suspends** never.
  ///
  /// @throws java.net.BindException when the path exists, or cannot be made; the message names it
  public static Listener listen(Path path) throws IOException {
    return Sockets.listen(
        StandardProtocolFamily.UNIX,
        UnixDomainSocketAddress.of(path),
        BACKLOG,
        socket -> {},
        socket -> {});
  }

  /// Serves a path: each connection has a coroutine that runs `handler`. Else as [#listen].
  public static Server serve(Path path, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return serve(path, ServerOptions.defaults(), handler);
  }

  /// Serves a path, with options. Else as [#serve(Path, ConnectionHandler)].
  public static Server serve(
      Path path, ServerOptions options, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return Sockets.served(listen(path), options, handler);
  }

  /// Connects to a listener. **Suspends** until the other side has answered; while the listener's
  /// backlog is full, until there is room: it tries again every so often. **Cancelled** the attempt
  /// is given up.
  ///
  /// @throws java.net.ConnectException when nobody listens there, nothing is there, or the path
  ///   cannot be reached; the message names the path
  /// @throws IOException when the system refuses otherwise
  public static StreamSocket connect(Path path) throws IOException {
    return Sockets.connect(
        StandardProtocolFamily.UNIX, UnixDomainSocketAddress.of(path), socket -> {});
  }
}
