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

/// Waits of coroutines for futures of Netty's, on whichever event loop they complete.
///
/// {@snippet class=dev.heddle.netty.NettySnippetsTest region=client}
///
/// *Cancelled* the wait ends and leaves nothing with the future, which goes on: to cancel that is
/// the caller's, by `future.cancel(false)`.
///
/// @since 0.1
public final class NettyFutures {
  private NettyFutures() {}

  /// Waits for the end of `future`. **Suspends** unless it has ended already.
  ///
  /// @return what it succeeded with
  /// @throws CoroutineException when it failed with a checked exception; unchecked ones and errors
  ///   come as they are, and a cancelled future as a [java.util.concurrent.CancellationException]
  /// @throws IllegalStateException outside a coroutine; or when the event loop of its channel ends
  ///   before it does
  public static <V extends @Nullable Object> V await(Future<V> future) {
    return await(future, dev.heddle.event.Future::await);
  }

  /// Waits for the end of `future`, but not beyond a deadline. Else as [#await(Future)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public static <V extends @Nullable Object> V await(Future<V> future, Deadline deadline) {
    return await(future, end -> end.await(deadline));
  }

  /// Waits for the end of `future`, but not beyond the moment in which `token` fires. Else as
  /// [#await(Future)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, however it fires
  public static <V extends @Nullable Object> V await(Future<V> future, Awaitable<?> token) {
    return await(future, end -> end.await(token));
  }

  /// Waits for what was asked of a channel: to bind, to connect, to write, to close. Else as
  /// [#await(Future)].
  ///
  /// @return the channel
  public static Channel await(ChannelFuture future) {
    var _ = await(future, dev.heddle.event.Future::await);
    return future.channel();
  }

  /// Waits for what was asked of a channel, but not beyond a deadline. Else as
  /// [#await(ChannelFuture)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public static Channel await(ChannelFuture future, Deadline deadline) {
    var _ = await(future, end -> end.await(deadline));
    return future.channel();
  }

  private static <V extends @Nullable Object> V await(
      Future<V> future, Consumer<dev.heddle.event.Future<Boolean>> wait) {
    Objects.requireNonNull(future, "future");
    var _ =
        Heddle.current(); // refuses who is in no coroutine, also when there is nothing to wait for
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
    FutureListener<Object> tell = _ -> end.tryComplete(true);
    @Nullable Future<?> endOfTeller = endOfEventLoop(future);
    future.addListener(tell);
    if (endOfTeller != null) {
      endOfTeller.addListener(tell);
    }
    if (future.isDone()) {
      end.tryComplete(true); // an executor that has ended tells no listener
    }
    try {
      wait.accept(end.future());
    } finally {
      future.removeListener(tell);
      if (endOfTeller != null) {
        endOfTeller.removeListener(tell);
      }
    }
    if (!future.isDone()) {
      throw new IllegalStateException(
          "the event loop has ended that would tell of the future "
              + describe(future)
              + "; end it after those who wait");
    }
    return outcome(future);
  }

  /// The end of who tells its listeners; null: that is not known.
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
