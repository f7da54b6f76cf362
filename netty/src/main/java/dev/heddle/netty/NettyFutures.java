// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.eventloop.EventLoopTurns;
import dev.heddle.internal.Rethrow;
import dev.heddle.thread.RemotePromise;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Lets coroutines wait for Netty futures of any event loop.
///
/// {@snippet class=dev.heddle.netty.NettySnippetsTest region=client}
///
/// **Cancelled** the wait ends and removes its listener; the operation continues unless the caller
/// cancels it by `future.cancel(false)`.
///
/// @since 0.1
public final class NettyFutures {
  private NettyFutures() {}

  /// Waits until `future` is complete. **Suspends** unless it is already.
  ///
  /// @return its result
  /// @throws CoroutineException when it failed with a checked exception; unchecked exceptions and
  ///   errors are thrown as they are, and a cancelled future throws a
  ///   [java.util.concurrent.CancellationException]
  /// @throws IllegalStateException outside a coroutine, or when the event loop of its channel ends
  ///   first
  public static <V extends @Nullable Object> V await(Future<V> future) {
    return await(future, dev.heddle.event.Future::await);
  }

  /// Waits until `future` is complete, until a deadline at most. Otherwise as [#await(Future)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  public static <V extends @Nullable Object> V await(Future<V> future, Deadline deadline) {
    return await(future, end -> end.await(deadline));
  }

  /// Waits until `future` is complete or `token` fires. Otherwise as [#await(Future)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, also with a failure
  public static <V extends @Nullable Object> V await(Future<V> future, Awaitable<?> token) {
    return await(future, end -> end.await(token));
  }

  /// Waits for an operation of a channel: bind, connect, write, close. Otherwise as
  /// [#await(Future)].
  ///
  /// @return the channel
  public static Channel await(ChannelFuture future) {
    var _ = await(future, dev.heddle.event.Future::await);
    return future.channel();
  }

  /// Waits for an operation of a channel, until a deadline at most. Otherwise as
  /// [#await(ChannelFuture)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  public static Channel await(ChannelFuture future, Deadline deadline) {
    var _ = await(future, end -> end.await(deadline));
    return future.channel();
  }

  /// Waits for an operation of a channel, or until `token` fires. Otherwise as
  /// [#await(ChannelFuture)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, also with a failure
  public static Channel await(ChannelFuture future, Awaitable<?> token) {
    var _ = await(future, end -> end.await(token));
    return future.channel();
  }

  private static <V extends @Nullable Object> V await(
      Future<V> future, Consumer<dev.heddle.event.Future<Boolean>> wait) {
    Objects.requireNonNull(future, "future");
    var _ = Heddle.current(); // throws outside of coroutines, even if there is nothing to wait for
    if (future.isDone()) {
      return outcome(future);
    }
    if (EventLoopTurns.isCurrent()) {
      throw new BlockingOperationException(
          "NettyFutures.await was called in a handler or a task: the event loop that completes the"
              + " future would wait for itself. Use future.addListener, or spawn a coroutine in a"
              + " scope that was taken along");
    }
    RemotePromise<Boolean> end = new RemotePromise<>(describe(future));
    FutureListener<Object> complete = _ -> end.tryComplete(true);
    @Nullable Future<?> endOfLoop = endOfEventLoop(future);
    future.addListener(complete);
    if (endOfLoop != null) {
      endOfLoop.addListener(complete);
    }
    if (future.isDone()) {
      end.tryComplete(true); // an ended executor notifies no listener
    }
    try {
      wait.accept(end.future());
    } finally {
      future.removeListener(complete);
      if (endOfLoop != null) {
        endOfLoop.removeListener(complete);
      }
    }
    if (!future.isDone()) {
      throw new IllegalStateException(
          "the event loop has ended that would complete the future "
              + describe(future)
              + "; shut it down after its waiters");
    }
    return outcome(future);
  }

  /// The termination of the executor that notifies its listeners; null if unknown.
  private static @Nullable Future<?> endOfEventLoop(Future<?> future) {
    return future instanceof ChannelFuture of && of.channel().isRegistered()
        ? of.channel().eventLoop().terminationFuture()
        : null;
  }

  private static String describe(Future<?> future) {
    return future instanceof ChannelFuture of ? "Netty's, of " + of.channel() : "Netty's";
  }

  private static <V extends @Nullable Object> V outcome(Future<V> future) {
    Throwable failure = future.cause();
    if (failure != null) {
      throw Rethrow.unchecked(CoroutineException.of(failure));
    }
    return future.getNow();
  }
}
