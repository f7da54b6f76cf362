// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.event.Trigger;
import dev.heddle.failure.AnotherThread;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.observe.log.AsyncLog;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Several loops, each on a thread of its own, for one program: what is given to one of them stays
/// there.
///
/// Coroutines of different loops share nothing that is not safe for threads: they talk by
/// [#submit], by [dev.heddle.thread.RemotePromise], or by what the JDK has for threads. When one of
/// the loops fails, the others are stopped, and [#join()] throws its failure.
///
/// **Thread** any.
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=group}
///
/// @since 0.1
public final class LoopGroup implements AutoCloseable {
  private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(10);
  private static final Duration AFTER_A_REFUSAL =
      Duration.ofMillis(100); // long enough for a descriptor to be given back

  private final List<Loop<?>> loops = new CopyOnWriteArrayList<>(); // one may fail at once
  private final List<CompletableFuture<Trigger>> ends = new ArrayList<>();
  private final List<CompletableFuture<?>> over = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>(); // to fail
  private final AtomicInteger turns = new AtomicInteger();

  private LoopGroup() {}

  /// Starts loops with default options. Else as [#start(HeddleOptions, int)].
  public static LoopGroup start(int loops) {
    return start(HeddleOptions.defaults(), loops);
  }

  /// Starts loops that wait for work, until the group is closed.
  ///
  /// @param options the number of each loop is added to the name
  /// @param loops at least 1; the number of processors is a good one
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
    if (group.first.get() != null) {
      group.shutdown(AFTER_A_FAILURE); // those that were started after one had failed
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
    ends.add(begun);
    over.add(
        loop.result()
            .handle((result, failure) -> {
              if (failure != null) {
                begun.completeExceptionally(failure);
                first.compareAndSet(null, unwrapped(failure));
                shutdown(AFTER_A_FAILURE);
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

  /// Runs `body` as a coroutine of the next loop; they take turns. Else as [Loop#submit].
  public <T extends @Nullable Object> CompletableFuture<T> submit(Body<T> body) {
    return loop(Math.floorMod(turns.getAndIncrement(), loops.size())).submit(body);
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

  /// What is done with a connection.
  @FunctionalInterface
  public interface ConnectionHandler {
    /// Serves a connection, as a coroutine of the loop that has accepted it; the connection is
    /// closed when it returns.
    void serve(StreamSocket connection) throws Exception;
  }

  /// Accepts connections in every loop, until the group is closed. The loops listen beside each
  /// other (`SO_REUSEPORT`), and the system spreads connections over them. What a handler throws is
  /// logged, and ends nothing but its connection. **Suspends**, or blocks, until all listen; when
  /// one of them cannot, none does.
  ///
  /// @return where they listen, with the port that the system chose
  /// @throws UnsupportedOperationException when the system cannot share a port so
  /// @throws IOException when the address is taken or not ours, or the system refuses otherwise
  public SocketAddress serve(SocketAddress address, TcpOptions options, ConnectionHandler handler)
      throws IOException {
    Objects.requireNonNull(handler, "handler");
    TcpOptions shared = options.with(StandardSocketOptions.SO_REUSEPORT, true);
    return serve(address, at -> Tcp.listen(at, shared), handler);
  }

  /// Opens a listener, in a coroutine of the loop that is to have it.
  @FunctionalInterface
  interface Opener {
    Listener open(SocketAddress at) throws IOException;
  }

  SocketAddress serve(SocketAddress address, Opener opener, ConnectionHandler handler)
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
      // from here on: whoever comes before stands in the line of a listener
      for (Listening one : all) {
        outcome(one.loop.submit(() -> accept(one.listener, handler)));
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
  }

  private static boolean accept(Listener listener, ConnectionHandler handler) {
    Heddle.background(
        "accept " + listener,
        () -> {
          boolean failing = false;
          try (listener) {
            while (listener.isOpen()) {
              failing = !takes(listener, handler, failing);
            }
          }
        });
    return true;
  }

  /// Accepts one. Where the system refuses, who would connect stays in its line: there is a pause
  /// before the next try, and a word for the first refusal of a row.
  private static boolean takes(Listener listener, ConnectionHandler handler, boolean failing) {
    try {
      StreamSocket connection = listener.accept();
      Heddle.launch("serve " + connection, () -> serve(connection, handler));
      return true;
    } catch (ClosedChannelException _) {
      return true; // safe: another loop could not listen, and this one has stopped
    } catch (IOException e) {
      if (!failing) {
        log("while accepting from " + listener + ", which goes on trying", e);
      }
      Heddle.delay(AFTER_A_REFUSAL);
      return false;
    }
  }

  private static void serve(StreamSocket connection, ConnectionHandler handler) {
    try (connection) {
      handler.serve(connection);
    } catch (Cancellation | VirtualMachineError e) {
      throw e;
    } catch (Throwable e) {
      log("while serving " + connection, e);
    }
  }

  private static void log(String what, Throwable failure) {
    AsyncLog.shared().warning(what, failure);
  }

  private static <T> T outcome(CompletableFuture<T> future) throws IOException {
    try {
      return future.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw AnotherThread.calledFromHere(cause);
        case RuntimeException cause -> throw AnotherThread.calledFromHere(cause);
        case Error cause -> throw AnotherThread.calledFromHere(cause);
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
    over.forEach(CompletableFuture::join);
    switch (first.get()) {
      case RuntimeException failure -> throw failure;
      case Error failure -> throw failure;
      case null, default -> {
        // all have ended well: a loop throws nothing that is checked
      }
    }
  }

  /// Ends the loops when all that was submitted has ended; what accepts is cancelled, connections
  /// are served to their end. Waits until then.
  ///
  /// @throws RuntimeException the first failure, as [Loop#join()] throws it
  @Override
  public void close() {
    for (CompletableFuture<Trigger> end : ends) {
      var _ = end.thenAccept(Trigger::pull);
    }
    join();
  }
}
