// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.ClosedChannels;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A value that changes, for coroutines that want the newest one: a configuration, a state, a
/// price.
///
/// {@snippet class=dev.heddle.snippets.SyncSnippetsTest region=latest}
///
/// There is always a value. Each [#set] replaces it and gives it the next version, also if the new
/// value equals the old one. A watcher sees the newest value, and may miss those in between: a
/// watcher that was woken for a value sees a newer one if that was set before the watcher ran.
/// Where each value counts, use a [Channel] or a [Broadcast].
///
/// [#close()] ends the changes: watchers see the last value, if they have not yet, and then the
/// end. A call that has nothing to return then throws a [ChannelClosedException], as those of
/// [Channel] and [Broadcast] do: code that passes values on catches one type.
///
/// **Thread** the loop on which it was created. **Order** watchers run in the order in which they
/// began to wait. **Cancelled** nothing is left behind, and no change is missed: what a watcher has
/// not seen is still there for its next call. **Cost** [#set] is linear in the number of coroutines
/// that wait at that moment; a watcher that does not wait costs nothing and need not be closed.
///
/// @param <T> the type of the value
/// @since 0.1
public final class Latest<T> implements Iterable<T>, AutoCloseable {
  /*
   * A value, its version, and an event that fires at each change. A watcher has the version that it
   * has seen, and waits for the event only while that is the current one. So the state decides, and
   * not the event: a watcher whose wait ends otherwise has lost nothing, and one that is woken in
   * vain waits again.
   *
   * Threads. The loop's.
   *
   * I1. A watcher that waits has seen the current version. [LatestTest]
   *
   * Rejected. No new version for an equal value, as Kotlin's StateFlow: a mutable value that was
   * changed in place and is set again would change for nobody. The watcher can compare.
   *
   * Sources. trap-6, trap-7; Tokio's watch, Kotlin's StateFlow.
   */
  private final Scheduler home;
  private final @Nullable String name;
  private final Change change;

  // loop only
  private T value;
  private long version;
  private boolean closed;
  private @Nullable String closedBy;
  private @Nullable Throwable cause;

  private Latest(@Nullable String name, T initial) {
    this.home = CoroutineNode.current().scheduler();
    this.name = name;
    this.value = Objects.requireNonNull(initial, "initial");
    this.change = new Change();
  }

  /// A value of the current loop.
  ///
  /// @param initial its first value, of version 0
  /// @throws IllegalStateException outside a coroutine
  public static <T> Latest<T> of(T initial) {
    return new Latest<>(null, initial);
  }

  /// A value as by [#of(Object)], with a name for reports.
  public static <T> Latest<T> of(String name, T initial) {
    return new Latest<>(Objects.requireNonNull(name, "name"), initial);
  }

  // ---- the value ----

  /// The newest value. **Suspends** never. After [#close()]: the last one.
  public T value() {
    return value;
  }

  /// The number of times that it was set.
  public long version() {
    return version;
  }

  /// Sets the value, and wakes those who wait for a change. **Suspends** never.
  ///
  /// @throws ChannelClosedException when it is closed
  /// @throws IllegalStateException when it belongs to another loop
  public void set(T newest) {
    current();
    Objects.requireNonNull(newest, "newest");
    checkOpen();
    change.requireRoom();
    value = newest;
    version++;
    change.notifyWaiters();
  }

  /// Sets the value to what `function` makes of it. If another coroutine sets it meanwhile, because
  /// `function` suspends, `function` is called again, with that value.
  ///
  /// @return the value that was set
  /// @throws ChannelClosedException when it is closed
  /// @throws IllegalStateException when it belongs to another loop
  public T update(UnaryOperator<T> function) {
    while (true) {
      checkOpen();
      long before = version;
      T newest = function.apply(value);
      if (version == before) {
        set(newest);
        return newest;
      }
    }
  }

  // ---- waiting ----

  /// The value as soon as it fulfils a condition. **Suspends** until it does; never if it does now,
  /// however often that is so. A value that was replaced before this coroutine ran is not looked
  /// at.
  ///
  /// @param condition is called in this coroutine, for the current value and after changes
  /// @throws ChannelClosedException when it is closed and the last value does not fulfil it
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits
  /// @throws IllegalStateException when it belongs to another loop
  public T await(Predicate<? super T> condition) {
    return await(condition, Deadline.never(), null);
  }

  /// The value as soon as it fulfils a condition, but waits no longer than a deadline. Otherwise as
  /// [#await(Predicate)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public T await(Predicate<? super T> condition, Deadline deadline) {
    return await(condition, deadline, null);
  }

  /// The value as soon as it fulfils a condition, but waits no longer than until `token` fires.
  /// Otherwise as [#await(Predicate)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public T await(Predicate<? super T> condition, Awaitable<?> token) {
    return await(condition, Deadline.never(), EventSource.of(token));
  }

  private T await(Predicate<? super T> condition, Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    while (true) {
      long seen = version;
      T candidate = value;
      if (condition.test(candidate)) {
        return candidate;
      }
      if (awaitNewer(self, seen, deadline, token) == seen) {
        throw closedException(", and its last value does not fulfil the condition");
      }
    }
  }

  // the newest version; the same when nothing newer will come
  private long awaitNewer(
      CoroutineNode<?> self, long seen, Deadline deadline, @Nullable EventSource token) {
    home.consumeBudget(self); // a coroutine that sets and watches by itself lets others run
    while (version == seen && !closed) {
      self.renewWithTimeout(deadline, token);
      self.resumeWhen(change);
      var _ = home.suspend(self);
    }
    return version;
  }

  /// The changes from now on: the current value counts as seen.
  public Changes<T> changes() {
    current();
    return new Changes<>(this, version);
  }

  /// The current value, then the newest one after each change, until it is closed. `hasNext()`
  /// **suspends** until there is a newer one than the last.
  ///
  /// The loop ends without an exception when it was closed by [#close()]; otherwise `hasNext()`
  /// throws the [ChannelClosedException].
  @Override
  public Iterator<T> iterator() {
    current();
    return new Changes<>(this, -1).iterator();
  }

  /// What one watcher has seen of a [Latest], and has not.
  ///
  /// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=changes}
  ///
  /// @param <T> the type of the value
  /// @since 0.1
  public static final class Changes<T> implements Iterable<T> {
    private final Latest<T> of;
    private long seen;

    private Changes(Latest<T> of, long seen) {
      this.of = of;
      this.seen = seen;
    }

    /// The newest value that was not seen yet. **Suspends** while there is none.
    ///
    /// @throws ChannelClosedException when the value is closed, and the last one was seen
    /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits
    /// @throws IllegalStateException when it belongs to another loop
    public T next() {
      return next(Deadline.never(), null);
    }

    /// The newest value that was not seen yet, but waits no longer than a deadline. Otherwise as
    /// [#next()].
    ///
    /// @throws dev.heddle.DeadlineException when the deadline runs out first
    public T next(Deadline deadline) {
      return next(deadline, null);
    }

    /// The newest value that was not seen yet, but waits no longer than until `token` fires.
    /// Otherwise as [#next()].
    ///
    /// @throws dev.heddle.WaitCancelledException when the token fires first
    public T next(Awaitable<?> token) {
      return next(Deadline.never(), EventSource.of(token));
    }

    private T next(Deadline deadline, @Nullable EventSource token) {
      if (!awaitNext(deadline, token)) {
        throw of.closedException(", and its last value was seen; stop watching");
      }
      return take();
    }

    private boolean awaitNext(Deadline deadline, @Nullable EventSource token) {
      return of.awaitNewer(of.current(), seen, deadline, token) != seen;
    }

    private T take() {
      seen = of.version;
      return of.value;
    }

    /// Whether there is a value that was not seen yet.
    public boolean hasChanged() {
      return of.version != seen;
    }

    /// The version that was seen last.
    public long version() {
      return seen;
    }

    /// What [#next()] returns, until the value is closed; otherwise as [Latest#iterator()].
    @Override
    public Iterator<T> iterator() {
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          boolean more = awaitNext(Deadline.never(), null);
          if (!more && of.cause != null) {
            throw of.closedException(", and its last value was seen; stop watching");
          }
          return more;
        }

        @Override
        public T next() {
          if (!hasNext()) {
            throw new NoSuchElementException(
                of.describe() + " was closed, and its last value was seen");
          }
          return take();
        }
      };
    }
  }

  // ---- closing ----

  /// Ends the changes. **Suspends** never; a second call does nothing.
  @Override
  public void close() {
    end(null);
  }

  /// Ends the changes because of a failure, which becomes the cause of each
  /// [ChannelClosedException]. A loop over the changes throws it, after the last value.
  public void close(Throwable failure) {
    end(Objects.requireNonNull(failure, "failure"));
  }

  private void end(@Nullable Throwable failure) {
    CoroutineNode<?> self = current();
    if (!closed) {
      change.requireRoom();
      closed = true;
      closedBy = self.label();
      cause = failure;
      change.notifyWaiters();
    }
  }

  /// Whether it was closed.
  public boolean isClosed() {
    return closed;
  }

  private void checkOpen() {
    if (closed) {
      throw closedException("; stop setting it, or create a new one");
    }
  }

  private ChannelClosedException closedException(String rest) {
    return ClosedChannels.exception(describe(), Reason.CLOSED, closedBy, cause, rest);
  }

  // ---- views ----

  /// The number of coroutines that wait for a change.
  public int waiting() {
    return change.subscribers();
  }

  /// One line for reports: name, version, number of waiting coroutines.
  public String info() {
    return describe()
        + " of version "
        + version
        + ", "
        + waiting()
        + " waiting"
        + (closed ? ", closed" : "");
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a latest value" : "the latest value '" + name + "'";
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; keep one on each loop that needs it");
    }
    return self;
  }

  private final class Change extends EventSource {
    Change() {
      super(home);
    }

    // an overflow half-way would leave a watcher that never wakes
    void requireRoom() {
      if (subscribers() > 0) {
        StackGuard.requireRoom();
      }
    }

    void notifyWaiters() {
      fire(null, null);
    }

    @Override
    public String info() {
      return "a change of " + Latest.this.info();
    }
  }
}
