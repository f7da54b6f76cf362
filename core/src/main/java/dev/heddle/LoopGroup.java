// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.event.Deadline;
import dev.heddle.event.Trigger;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.io.ConnectionHandler;
import dev.heddle.io.Listener;
import dev.heddle.io.Server;
import dev.heddle.io.ServerOptions;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.io.server.ConnectionServer;
import dev.heddle.loop.LoopExecutor;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Several loops, each on a thread of its own, for one program. A coroutine or connection stays on
/// the loop where it was started.
///
/// Coroutines of different loops share nothing that is not safe for threads: they communicate by
/// [#submit], by [dev.heddle.thread.RemotePromise], or by the JDK's tools for threads. When one of
/// the loops fails, the others are stopped, and [#join()] throws its failure.
///
/// **Thread** any.
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=group}
///
/// @since 0.1
public final class LoopGroup implements AutoCloseable {
  private static final Duration FAILURE_SHUTDOWN_DEADLINE = Duration.ofSeconds(10);

  private final List<Loop<?>> loops = new CopyOnWriteArrayList<>(); // one may fail early
  private final List<CompletableFuture<Trigger>> stopTriggers = new ArrayList<>();
  private final List<CompletableFuture<?>> loopEnds = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
  private final List<Serving> servers = new CopyOnWriteArrayList<>();
  private final AtomicInteger nextLoop = new AtomicInteger();

  // completed when the last loop has ended
  private CompletableFuture<Void> allEnded = new CompletableFuture<>();

  private LoopGroup() {}

  /// Starts loops with default options. Else as [#start(HeddleOptions, int)].
  public static LoopGroup start(int loops) {
    return start(HeddleOptions.defaults(), loops);
  }

  /// Starts loops that wait for work, until the group is closed.
  ///
  /// @param options for each loop; its number is appended to the name
  /// @param loops at least 1; the number of processors is a good choice
  /// @throws IllegalArgumentException unless there is at least one loop
  public static LoopGroup start(HeddleOptions options, int loops) {
    Objects.requireNonNull(options, "options");
    if (loops < 1) {
      throw new IllegalArgumentException("a group has at least one loop, not " + loops);
    }
    LoopGroup group = new LoopGroup();
    for (int i = 0; i < loops; i++) {
      group.startLoop(options.withName(options.name() + "-" + (i + 1)));
    }
    group.allEnded = CompletableFuture.allOf(group.loopEnds.toArray(CompletableFuture[]::new));
    if (group.firstFailure.get() != null) {
      group.shutdown(FAILURE_SHUTDOWN_DEADLINE); // for loops that started after the failure
    }
    return group;
  }

  private void startLoop(HeddleOptions options) {
    CompletableFuture<Trigger> begun = new CompletableFuture<>();
    Loop<?> loop =
        Loop.start(
            options,
            () -> {
              Trigger end = Heddle.trigger("the end of the group");
              begun.complete(end);
              return Heddle.await(end);
            });
    loops.add(loop);
    stopTriggers.add(begun);
    loopEnds.add(
        loop.result()
            .handle((result, failure) -> {
              if (failure != null) {
                begun.completeExceptionally(failure);
                firstFailure.compareAndSet(null, unwrapped(failure));
                shutdown(FAILURE_SHUTDOWN_DEADLINE);
              }
              return result;
            }));
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  /// How many loops there are.
  public int size() {
    return loops.size();
  }

  /// One of the loops.
  ///
  /// @param number from 0 on
  public Loop<?> loop(int number) {
    return loops.get(number);
  }

  /// Runs `body` as a coroutine of the next loop, in round-robin order. Else as [Loop#submit].
  public <T extends @Nullable Object> CompletableFuture<T> submit(Body<T> body) {
    return loop(Math.floorMod(nextLoop.getAndIncrement(), loops.size())).submit(body);
  }

  /// A new executor whose tasks are coroutines of the loops, in round-robin order. Loops that have
  /// ended or are stopping are skipped; a task is rejected when no loop is left. Else as
  /// [Loop#executor()].
  ///
  /// @since 0.1
  public ScheduledExecutorService executor() {
    return executorNamed(null);
  }

  /// A new executor whose tasks have names: `name-1`, `name-2` and so on, in dumps and reports,
  /// whichever loop each runs on. Otherwise as [#executor()].
  ///
  /// @since 0.1
  public ScheduledExecutorService executor(String name) {
    return executorNamed(Objects.requireNonNull(name, "name"));
  }

  private ScheduledExecutorService executorNamed(@Nullable String name) {
    return new LoopExecutor(loops.stream().map(Loop::runtime).toList(), allEnded, name);
  }

  /// Runs an action as a coroutine of each loop.
  ///
  /// @return completes when all have ended, with the first failure if there is one
  public CompletableFuture<Void> submitToEach(Action action) {
    return CompletableFuture.allOf(
        loops.stream()
            .map(loop ->
                loop.submit(() -> {
                  action.run();
                  return true;
                }))
            .toArray(CompletableFuture[]::new));
  }

  // ---- servers ----

  /// Serves an address with all loops. Else as [#serve(SocketAddress, ServerOptions,
  /// ConnectionHandler)].
  public SocketAddress serve(SocketAddress address, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return serve(address, ServerOptions.defaults(), handler);
  }

  /// Accepts connections in every loop, until the group is closed. Each loop listens with its own
  /// socket (`SO_REUSEPORT`), and the system distributes the connections. Each loop has its own
  /// [dev.heddle.io.Server], which handles failures and serves the connections that it accepted; a
  /// limit on connections applies to each loop. **Suspends**, or blocks, until all listen; if one
  /// of them cannot, none does.
  ///
  /// @return the address on which they listen, with the port that the system chose
  /// @throws UnsupportedOperationException when the system cannot share a port
  /// @throws IOException when the address is in use or not local, or the system refuses otherwise
  public SocketAddress serve(
      SocketAddress address, ServerOptions options, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    Objects.requireNonNull(handler, "handler");
    TcpOptions shared = options.tcp().with(StandardSocketOptions.SO_REUSEPORT, true);
    return serve(address, options, at -> Tcp.listen(at, shared), handler);
  }

  /// Opens a listener, in a coroutine of its loop.
  @FunctionalInterface
  interface Opener {
    Listener open(SocketAddress at) throws IOException;
  }

  SocketAddress serve(
      SocketAddress address,
      ServerOptions options,
      Opener opener,
      ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    List<Listening> all = new ArrayList<>();
    try {
      SocketAddress bound = address;
      for (Loop<?> loop : loops) {
        SocketAddress at = bound;
        Listening one = new Listening(loop, outcome(loop.submit(() -> opener.open(at))));
        all.add(one);
        bound = one.listener.localAddress();
      }
      // connections that arrived earlier are in the backlog of a listener
      for (Listening one : all) {
        servers.add(one.serve(options, handler));
      }
      return bound;
    } catch (Throwable e) {
      all.forEach(Listening::close);
      throw e;
    }
  }

  /// A listener of one of the loops.
  private record Listening(Loop<?> loop, Listener listener) {
    void close() {
      CompletableFuture<Boolean> closing =
          loop.submit(() -> {
            listener.close();
            return true;
          });
      // safe: a loop that has ended has closed it
      var _ = closing.exceptionally(_ -> true).join();
    }

    /// Starts a server in the loop's root scope; it is a daemon and ends with the group.
    Serving serve(ServerOptions options, ConnectionHandler<? super StreamSocket> handler)
        throws IOException {
      CompletableFuture<Server> started =
          loop.submit(() -> ConnectionServer.startDaemon(listener, options, handler));
      return new Serving(loop, outcome(started));
    }
  }

  /// A server of one of the loops.
  private record Serving(Loop<?> loop, Server server) {
    CompletableFuture<Boolean> drain(Duration limit) {
      return loop.submit(() -> server.drain(Deadline.after(limit)));
    }
  }

  /// Stops accepting in all loops, and waits until the handlers have ended, up to a limit; handlers
  /// that have not ended by then are cancelled and awaited. Other submitted work continues.
  /// **Suspends**, or blocks, unless no connection is open.
  ///
  /// @param limit how long handlers may continue; positive
  /// @return whether all handlers ended by themselves
  /// @throws IllegalArgumentException unless the limit is positive
  public boolean drain(Duration limit) {
    var _ = Deadline.after(limit); // checks the limit once, not in each loop
    List<CompletableFuture<Boolean>> all =
        servers.stream().map(serving -> serving.drain(limit)).toList();
    return all.stream().filter(drained -> !isDrained(drained)).count() == 0;
  }

  private static boolean isDrained(CompletableFuture<Boolean> drained) {
    try {
      return outcome(drained);
    } catch (LoopEndedException | Cancellation _) {
      return false; // safe: a stopping loop has cancelled its handlers, and reports that itself
    } catch (IOException e) {
      throw new IllegalStateException("a drain throws no " + e.getClass(), e);
    }
  }

  private static <T> T outcome(CompletableFuture<T> future) throws IOException {
    try {
      return future.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw CrossThreadTraces.appendCallerTrace(cause);
        case RuntimeException cause -> throw CrossThreadTraces.appendCallerTrace(cause);
        case Error cause -> throw CrossThreadTraces.appendCallerTrace(cause);
        case null, default -> throw e;
      }
    }
  }

  // ---- the end ----

  /// Stops all loops gracefully; returns at once. Else as [Loop#shutdown].
  ///
  /// @throws IllegalArgumentException when the deadline is negative
  public void shutdown(Duration deadline) {
    loops.forEach(loop -> loop.shutdown(deadline));
  }

  /// Waits until all loops have ended: after [#shutdown], or when one of them has failed.
  ///
  /// @throws RuntimeException the first failure, as [Loop#join()] throws it
  public void join() {
    loopEnds.forEach(CompletableFuture::join);
    switch (firstFailure.get()) {
      case RuntimeException failure -> throw failure;
      case Error failure -> throw failure;
      case null, default -> {
        // success: a loop throws no checked exception
      }
    }
  }

  /// Ends the loops when all submitted work has ended, and waits until then. Servers stop
  /// accepting; open connections are served to their end.
  ///
  /// @throws RuntimeException the first failure, as [Loop#join()] throws it
  @Override
  public void close() {
    for (CompletableFuture<Trigger> end : stopTriggers) {
      var _ = end.thenAccept(Trigger::fire);
    }
    join();
  }
}
