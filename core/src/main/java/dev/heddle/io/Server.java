// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.io.server.ConnectionServer;
import java.net.SocketAddress;

/// Accepts connections on one loop and serves each in a coroutine.
///
/// Started by [Tcp#serve], [Tls#serve], [Unix#serve] or [#start]; [dev.heddle.LoopGroup#serve]
/// serves one port on several loops.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=serve}
///
/// **A server belongs to the scope in which it was started**, which does not end before the server
/// does: a program whose last line starts a server runs until it is stopped. When that scope is
/// cancelled, so is the server.
///
/// **A handler that throws** ends only its connection. The failure is logged as a warning with its
/// stack: at once the first time, then at most once a minute for each throwing place in the
/// program, with the number of failures in between. A failure of a coroutine that the handler
/// spawned and that is not awaited counts as the handler's. An `OutOfMemoryError` ends the loop, as
/// everywhere else.
///
/// **When `accept` fails**, usually because no file descriptor is left, the server logs the failure
/// at most once a minute and retries every 100 ms. Clients wait in the system's backlog meanwhile.
/// [ServerOptions#withMaxConnections] bounds the connections before that happens.
///
/// **To stop** call [#drain], which waits for the connections to end, or [#close()], which cancels
/// them.
///
/// **Thread** the loop that started it.
///
/// @since 0.1
public interface Server extends AutoCloseable {
  /// Serves the connections of an open listener, which then belongs to the server and is closed
  /// with it. [Tcp#serve] and its like open their own listener. **Suspends** never.
  ///
  /// @throws IllegalStateException outside a coroutine, and when the current scope is cancelled
  static Server start(
      Listener listener, ServerOptions options, ConnectionHandler<? super StreamSocket> handler) {
    return ConnectionServer.start(listener, options, handler);
  }

  /// The local address, with the port that the system chose.
  SocketAddress address();

  /// The number of open connections.
  int connections();

  /// Whether new connections are accepted: not after [#drain] or [#close()] was called or the
  /// server has failed.
  boolean isAccepting();

  /// An event that fires when the server stops accepting. A handler can use it to end its wait for
  /// the client's next request, so that a drain does not wait for idle connections:
  ///
  /// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=draining}
  Awaitable<?> draining();

  /// Waits until the server has ended because it was closed, drained or cancelled, or has failed.
  ///
  /// @throws RuntimeException the server's failure, for example an option that its connections do
  ///   not support
  /// @throws IllegalStateException when called in one of its handlers, which would wait for itself
  void join();

  /// Stops accepting at once and waits until the handlers have ended, up to a deadline; the
  /// handlers that are still running then are cancelled and awaited. The system resets connections
  /// that are still in the backlog. **Suspends** unless no connection is open. **Cancelled** the
  /// server no longer accepts, and the handlers run on until [#close()].
  ///
  /// @param deadline [Deadline#never()]: no limit
  /// @return whether all handlers ended by themselves
  /// @throws IllegalStateException when called in one of its handlers, which would wait for itself
  boolean drain(Deadline deadline);

  /// Stops accepting at once, cancels the handlers and waits until they end. Closing twice does
  /// nothing. **Suspends** unless no connection is open.
  ///
  /// @throws IllegalStateException when called when called in one of its handlers, which would wait
  ///   for itself; the server has then stopped accepting
  @Override
  void close();
}
