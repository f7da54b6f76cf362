// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.server;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.failure.FailureTable;
import dev.heddle.io.ConnectionHandler;
import dev.heddle.io.Listener;
import dev.heddle.io.Server;
import dev.heddle.io.ServerOptions;
import dev.heddle.io.StreamSocket;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A server: a scope with one accepting coroutine and one coroutine for each connection.
public final class ConnectionServer implements Server {
  /*
   * States.
   *   from       event                             to       who
   *   ACCEPTING  drain(), close()                  STOPPED  the caller: closes the listener,
   *                                                         completes `stopping`
   *   ACCEPTING  the scope is cancelled, or the    STOPPED  the acceptor, on its way out
   *              acceptor fails
   *   STOPPED    the cancelled scope has ended     ENDED    the scope: closes what was never served
   *
   * ConnectionPermits. With a limit, the acceptor takes a permit before it accepts, and a handler
   * releases it at its end: at the limit no connection is accepted, and the system queues them.
   * Without a limit there are no permits. An acceptor that waits for a permit when the server stops
   * gets it from the next handler that ends, and finds the listener closed.
   *
   * Refusals. accept() throws when no file descriptor is left. The connection stays in the system's
   * queue, so the next try would fail at once: the acceptor pauses for PAUSE between tries. Ten
   * failing calls a second cost no measurable CPU time, and the next connection is accepted within
   * 100 ms after a descriptor is free. Any other exception (an unsupported option) fails the
   * server: it would recur for each connection.
   *
   * Threads. The carrier.
   *
   * I1. A connection is in `open` from its acceptance to its end, and is closed at its end, also
   *     when its coroutine was cancelled before it ran. [ServerConformanceTest]
   * I2. An exception of a handler or its members ends its connection only. [ServerConformanceTest]
   * I3. No more connections than the limit are open. [ServerConformanceTest]
   *
   * Cost. A connection: a coroutine and a scope. A failure: its stack trace is read to find its
   * place.
   *
   * Rejected. A supervised scope with the handlers as members: what a handler spawns would belong
   * to the server and outlive its connection. A growing pause: clients would wait longer after
   * descriptors are free again, and it saves nothing. Waiting for one of the server's own
   * connections to end: other code closes descriptors, too.
   *
   * Sources. Go's net/http (Serve, Shutdown); trio.serve_listeners.
   */
  private static final Duration PAUSE = Duration.ofMillis(100); // between two tries

  private final Listener listener;
  private final ConnectionHandler<? super StreamSocket> handler;
  private final Scope members;
  private final @Nullable ConnectionPermits permits; // null: no limit
  private final Promise<@Nullable Void> stopping = new Promise<>("the server's stop");
  private final FailureLog failures;

  // loop only
  private final Set<StreamSocket> open = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean cancelledHandlers; // by drain() or close()

  private ConnectionServer(
      Listener listener,
      ServerOptions options,
      ConnectionHandler<? super StreamSocket> handler,
      Scope members) {
    this.listener = listener;
    this.handler = handler;
    this.members = members;
    this.permits =
        options.maxConnections() == Integer.MAX_VALUE
            ? null
            : new ConnectionPermits(home(), options.maxConnections(), this);
    this.failures = new FailureLog(home()::nanoTime);
    stopping.future().ignore(); // its value may stay unobserved; it never fails
  }

  private static Scheduler home() {
    return CoroutineNode.current().scheduler();
  }

  public static ConnectionServer start(
      Listener listener, ServerOptions options, ConnectionHandler<? super StreamSocket> handler) {
    ConnectionServer server = of(listener, options, handler);
    server.members.launch("accept from " + listener, server::accept);
    return server;
  }

  /// A daemon server: when all other members of the current scope have ended, it stops accepting
  /// and ends with its connections.
  public static ConnectionServer startDaemon(
      Listener listener, ServerOptions options, ConnectionHandler<? super StreamSocket> handler) {
    ConnectionServer server = of(listener, options, handler);
    server.members.background("accept from " + listener, server::accept);
    return server;
  }

  private static ConnectionServer of(
      Listener listener, ServerOptions options, ConnectionHandler<? super StreamSocket> handler) {
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(handler, "handler");
    Scope members = CoroutineNode.current().currentScope().child();
    ConnectionServer server = new ConnectionServer(listener, options, handler, members);
    members.onCompletion(_ -> server.ended());
    AsyncLog.shared().prepare(); // loaded now: it may have to log that no descriptor is left
    return server;
  }

  // ---- accepting ----

  private void accept() {
    CoroutineNode<?> self = CoroutineNode.current();
    try {
      while (listener.isOpen()) {
        if (permits != null) {
          permits.acquire(self);
        }
        acceptOne(self);
      }
    } finally {
      stopAccepting();
    }
  }

  private void acceptOne(CoroutineNode<?> self) {
    StreamSocket connection;
    try {
      connection = listener.accept();
    } catch (IOException e) {
      releasePermit();
      if (listener.isOpen()) {
        failures.warn("while accepting from " + listener + "; retrying", e);
        self.delay(PAUSE);
      }
      return;
    }
    open.add(connection);
    String name = connection.toString(); // after closing, the peer's address is unknown
    members.launch("serve " + name, () -> serve(connection, name));
  }

  private void releasePermit() {
    if (permits != null) {
      permits.release();
    }
  }

  // ---- serving ----

  private void serve(StreamSocket connection, String name) {
    try (connection) {
      ScopeNode.block(
          _ -> {
            handler.serve(connection);
            return null;
          },
          false);
    } catch (Cancellation e) {
      throw e; // cancelled by the server or the handler: not a failure
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      failures.warn("while serving " + name, unwrapped(e));
    } finally {
      open.remove(connection);
      releasePermit();
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CoroutineException && cause != null ? cause : failure;
  }

  // ---- the end ----

  private void stopAccepting() {
    listener.close();
    var _ = stopping.tryComplete(null); // only the first call has an effect
  }

  private void ended() {
    stopAccepting();
    List.copyOf(open).forEach(StreamSocket::close); // accepted, cancelled before they ran
    open.clear();
    failures.flush();
  }

  @Override
  public boolean drain(Deadline deadline) {
    stopAccepting();
    try {
      if (!members.isCancelled()) {
        members.join(deadline);
      }
    } catch (DeadlineException _) {
      // safe: the remaining handlers are cancelled now
    }
    cancelTheRest();
    return !cancelledHandlers;
  }

  @Override
  public void close() {
    stopAccepting();
    cancelTheRest();
  }

  private void cancelTheRest() {
    cancelledHandlers |= !open.isEmpty();
    members.close();
  }

  @Override
  public void join() {
    if (members.isCancelled()) {
      members.awaitCancelled();
    } else {
      members.join();
    }
  }

  // ---- views ----

  @Override
  public SocketAddress address() {
    return listener.localAddress();
  }

  @Override
  public int connections() {
    return open.size();
  }

  @Override
  public boolean isAccepting() {
    return listener.isOpen();
  }

  @Override
  public Awaitable<?> draining() {
    return stopping.future();
  }

  @Override
  public String toString() {
    return "the server on " + listener.localAddress();
  }

  /// Permits for connections.
  private static final class ConnectionPermits extends FairSemaphore {
    private final int bound;
    private final ConnectionServer server;

    ConnectionPermits(Scheduler home, int bound, ConnectionServer server) {
      super(home, bound, server);
      this.bound = bound;
      this.server = server;
    }

    @Override
    protected String info() {
      return "the end of one of the " + bound + " connections of " + server;
    }
  }
}
