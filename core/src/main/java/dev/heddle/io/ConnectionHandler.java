// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

/// What a [Server] does with a connection.
///
/// Runs as a coroutine of its own, in a scope of its own: what it spawns belongs to the connection,
/// and is awaited before the connection is closed. What it throws ends its connection and nothing
/// else; it is logged. **Cancelled** when the server is closed, and when a drain has lasted until
/// its deadline.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=serve}
///
/// @param <S> the connections: [StreamSocket], or [TlsSocket]
/// @since 0.1
@FunctionalInterface
public interface ConnectionHandler<S extends AsyncIo> {
  /// Serves a connection, which is closed when this returns or throws.
  ///
  /// @throws Exception any; it is logged, once a minute for each place that throws
  void serve(S connection) throws Exception;
}
