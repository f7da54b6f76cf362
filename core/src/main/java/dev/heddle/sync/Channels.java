// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.DeadlineException;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Operators from one channel to another: they receive fewer items, or several together.
///
/// {@snippet class=dev.heddle.snippets.ChannelsSnippetsTest region=operators}
///
/// | operator | sends | as in |
/// |---|---|---|
/// | [#debounce] | the newest item, when none has come for a time | Kotlin, Rx |
/// | [#throttleFirst] | an item, and none for a time after it | Rx |
/// | [#sample] | the newest item of each period | Kotlin, Rx (`throttleLast`) |
/// | [#chunked] | lists of several items, after a time also of fewer | Kotlin; Rx `buffer` |
///
/// An operator is a coroutine in the current scope, which waits for it. It returns the channel that
/// it sends to. That channel has no capacity: the operator holds what it is about to send, and
/// receives no further item before its receiver has come.
///
/// **The end goes down, a cancellation goes up.** When the source is closed, the operator sends
/// what it holds, and closes its own channel with the same cause; if the source was cancelled, or
/// closed by a deadlock, the [ChannelClosedException] that says so is the cause. When its own
/// channel is closed or cancelled by the receiver, the operator cancels the source at once, so the
/// senders there get an exception. The items left in the source are dropped.
///
/// **Thread** the loop's. **Suspends** never: the operator does. **Cancelled** an operator that is
/// cancelled, with its scope, closes its channel with the [dev.heddle.Cancellation] as the cause,
/// and cancels the source; what it holds is dropped. **Cost** a coroutine for each operator; a
/// timer while it holds an item, none while it is idle.
///
/// @since 0.1
public final class Channels {
  private Channels() {}

  /// Sends an item when no newer one has come for `quiet`; an item that is followed by another
  /// sooner is dropped. The last item before the end is sent in any case.
  ///
  /// @throws IllegalArgumentException unless `quiet` is positive
  /// @throws IllegalStateException outside a coroutine, or when the scope is closed or cancelled
  public static <T> Channel<T> debounce(Channel<T> source, Duration quiet) {
    Duration time = checked(quiet);
    return new Operator<T, T>(source) {
      @Override
      void work() {
        T latest = next();
        while (latest != null) {
          T newer = nextUntil(Deadline.after(time));
          if (newer == null) { // it is quiet, or the source is closed
            out.send(latest);
            newer = next();
          }
          latest = newer;
        }
      }
    }.start("debounce");
  }

  /// Sends an item, and drops those that come within `period` after its receiver has got it.
  ///
  /// @throws IllegalArgumentException unless `period` is positive
  /// @throws IllegalStateException outside a coroutine, or when the scope is closed or cancelled
  public static <T> Channel<T> throttleFirst(Channel<T> source, Duration period) {
    Duration time = checked(period);
    return new Operator<T, T>(source) {
      @Override
      void work() {
        T item = next();
        while (item != null) {
          out.send(item);
          Deadline end = Deadline.after(time);
          item = next();
          while (item != null && !isOver(end)) {
            item = next();
          }
        }
      }
    }.start("throttleFirst");
  }

  /// Sends the newest item of each period; the others are dropped. A period begins with the first
  /// item after the one before. The last item before the end is sent in any case.
  ///
  /// @throws IllegalArgumentException unless `period` is positive
  /// @throws IllegalStateException outside a coroutine, or when the scope is closed or cancelled
  public static <T> Channel<T> sample(Channel<T> source, Duration period) {
    Duration time = checked(period);
    return new Operator<T, T>(source) {
      @Override
      void work() {
        for (T latest = next(); latest != null; latest = next()) {
          Deadline end = Deadline.after(time);
          for (T newer = nextUntil(end); newer != null; newer = nextUntil(end)) {
            latest = newer;
          }
          out.send(latest);
        }
      }
    }.start("sample");
  }

  /// Sends lists of `count` items, in their order; the last list before the end may be shorter.
  ///
  /// @param count at least 1
  /// @throws IllegalArgumentException when `count` is less than 1
  /// @throws IllegalStateException outside a coroutine, or when the scope is closed or cancelled
  public static <T> Channel<List<T>> chunked(Channel<T> source, int count) {
    return lists(source, count, null);
  }

  /// Sends lists of `count` items, in their order; of fewer, but at least one, when `longest` has
  /// passed since the first item of the list. The last list before the end may be shorter, too.
  ///
  /// @param count at least 1
  /// @throws IllegalArgumentException when `count` is less than 1, or `longest` is not positive
  /// @throws IllegalStateException outside a coroutine, or when the scope is closed or cancelled
  public static <T> Channel<List<T>> chunked(Channel<T> source, int count, Duration longest) {
    return lists(source, count, checked(longest));
  }

  private static <T> Channel<List<T>> lists(
      Channel<T> source, int count, @Nullable Duration longest) {
    if (count < 1) {
      throw new IllegalArgumentException("a list of " + count + " items is none; give at least 1");
    }
    return new Operator<T, List<T>>(source) {
      @Override
      void work() {
        for (T first = next(); first != null; first = next()) {
          out.send(listFrom(first));
        }
      }

      private List<T> listFrom(T first) {
        List<T> items = new ArrayList<>();
        items.add(first);
        Deadline end = longest == null ? Deadline.never() : Deadline.after(longest);
        while (items.size() < count) {
          T item = nextUntil(end);
          if (item == null) {
            break;
          }
          items.add(item);
        }
        return Collections.unmodifiableList(items);
      }
    }.start("chunked");
  }

  private static Duration checked(Duration time) {
    if (!time.isPositive()) {
      throw new IllegalArgumentException(
          "a time of " + time + " is over before it begins; it must be positive");
    }
    return time;
  }

  private static boolean isOver(Deadline deadline) {
    return deadline.remaining().isZero();
  }

  /// Receives from one channel and sends to another.
  private abstract static class Operator<T, R> implements InlineCallback {
    private final Channel<T> source;
    private final Runnable dropSource; // made in time: linking takes more stack than there may be
    final Channel<R> out = Channel.of(0);
    private @Nullable ChannelClosedException end; // of the source

    Operator(Channel<T> source) {
      this.source = source;
      dropSource = source::dropNow;
    }

    /// Returns when the source is closed, and everything was sent.
    abstract void work();

    Channel<R> start(String what) {
      Runnable end = () -> out.end(new Cancellation(what + " was cancelled before its start"));
      Scope.current().spawn(what, (Action) this::run).onCompletion(_ -> out.closeInTick(end));
      EventSource.of(out.closed()).subscribe(this);
      return out;
    }

    private void run() {
      try {
        work();
      } catch (Throwable e) {
        boolean unwanted = out.isClosed();
        out.close(e);
        if (unwanted && e instanceof ChannelClosedException) {
          return; // the source is cancelled, too
        }
        throw e;
      }
      closeOut();
    }

    private void closeOut() {
      Throwable cause = end == null ? null : end.getCause();
      if (cause == null && end != null && wasCut(end.reason())) {
        cause = end;
      }
      if (cause == null) {
        out.close();
      } else {
        out.close(cause);
      }
    }

    // a loop over such a channel throws
    private static boolean wasCut(Reason reason) {
      return reason == Reason.CANCELLED || reason == Reason.DEADLOCK;
    }

    /// The next item; null: the source is closed.
    final @Nullable T next() {
      return nextUntil(Deadline.never());
    }

    /// The next item; null: none came in time, or the source is closed.
    final @Nullable T nextUntil(Deadline deadline) {
      if (end != null || isOver(deadline)) { // a receive takes an item even after its deadline
        return null;
      }
      try {
        return source.receive(deadline);
      } catch (ChannelClosedException e) {
        end = e;
      } catch (DeadlineException _) {
        // null says so
      }
      return null;
    }

    // a channel that is closed wants nothing more
    @Override
    public void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
      source.drop(dropSource);
    }
  }
}
