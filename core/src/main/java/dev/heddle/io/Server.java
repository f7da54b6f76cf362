// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.io.server.ConnectionServer;
import java.net.SocketAddress;

/// Accepts connections on one loop, and serves each of them in a coroutine.
///
/// Started by [Tcp#serve], [Tls#serve], [Unix#serve] or [#start]; several loops serve one port by
/// [dev.heddle.LoopGroup#serve].
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=serve}
///
/// **It belongs to the scope in which it was started**, which does not end before the server does:
/// a program whose last line starts a server serves until it is told to stop. When that scope is
/// cancelled, so is the server.
///
/// **A handler that throws** ends its connection, and nothing else. The failure is logged as a
/// warning with its stack: at once the first time, then at most once a minute for each place in the
/// program that throws, with the number of failures in between. What a handler has spawned, and
/// nobody awaits, counts as the handler's. An `OutOfMemoryError` ends the loop, as everywhere else.
///
/// **When the system refuses a connection**, most often because no descriptor is left, the server
/// logs that, at most once a minute, and tries again every 100 ms. Clients wait in the system's
/// line meanwhile. [ServerOptions#withMaxConnections] bounds the connections before that happens.
///
/// **To stop** call [#drain], which lets connections end, or [#close()], which cancels them.
///
/// **Thread** the loop that started it.
///
/// @since 0.1
public interface Server extends AutoCloseable {
  /// Serves connections of a listener that is open, which from now on belongs to the server: they
  /// are closed together. [Tcp#serve] and its like open one themselves. **Suspends** never.
  ///
  /// @throws IllegalStateException outside a coroutine, and when the current scope is cancelled
  static Server start(
      Listener listener, ServerOptions options, ConnectionHandler<? super StreamSocket> handler) {
    return ConnectionServer.start(listener, options, handler);
  }

  /// Where it listens, with the port that the system chose.
  SocketAddress address();

  /// How many connections are open.
  int connections();

  /// Whether new connections are let in: not after [#drain] or [#close()] was called, or the server
  /// has failed.
  boolean isAccepting();

  /// The moment in which the server stops accepting, as a token. A handler that waits for the next
  /// request of its client ends that wait by it, so that a drain does not wait for idle
  /// connections:
  ///
  /// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=draining}
  Awaitable<?> draining();

  /// Waits until the server has ended: it was closed, drained or cancelled, or it has failed.
  ///
  /// @throws RuntimeException what it failed with: an option that does not fit the connections
  /// @throws IllegalStateException in one of its handlers, which would wait for itself
  void join();

  /// Stops accepting at once, and waits until the handlers have ended, up to a deadline; those that
  /// have not ended by then are cancelled and awaited. Connections that the system has taken, and
  /// the server has not accepted, are refused by the system. **Suspends** unless no connection is
  /// open. **Cancelled** the server accepts nobody any more, and the handlers go on until
  /// [#close()].
  ///
  /// @param deadline [Deadline#never()]: whatever it takes
  /// @return whether all handlers ended by themselves
  /// @throws IllegalStateException in one of its handlers, which would wait for itself
  boolean drain(Deadline deadline);

  /// Stops accepting at once, cancels the handlers and waits until they have ended. Closing twice
  /// does nothing. **Suspends** unless no connection is open.
  ///
  /// @throws IllegalStateException in one of its handlers, which would wait for itself; the server
  ///   accepts nobody any more
  @Override
  void close();
}
