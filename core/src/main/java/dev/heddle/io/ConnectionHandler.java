// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

/// Serves the connections of a [Server].
///
/// Each call runs in its own coroutine and scope: the coroutines it spawns belong to the connection
/// and are awaited before the connection is closed. An exception ends only its connection and is
/// logged. **Cancelled** when the server is closed, and when a drain reaches its deadline.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=serve}
///
/// @param <S> type of the connections: [StreamSocket] or [TlsSocket]
/// @since 0.1
@FunctionalInterface
public interface ConnectionHandler<S extends AsyncIo> {
  /// Serves a connection, which is closed when this method returns or throws.
  ///
  /// @throws Exception any; it is logged, once a minute for each place that throws
  void serve(S connection) throws Exception;
}
