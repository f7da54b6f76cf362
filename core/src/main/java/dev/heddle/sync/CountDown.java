// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A count that coroutines count down, and others wait until it is zero.
///
/// {@snippet class=dev.heddle.snippets.SyncSnippetsTest region=countDown}
///
/// It is for things that are not coroutines of their own: replies, connections, warm-up steps. For
/// the end of coroutines use [dev.heddle.Heddle#scope]. It stays at zero and cannot be used again.
///
/// It is an [Awaitable], too: a token, a branch of a [Select], one of several things to wait for.
///
/// **Thread** the loop on which it was created. **Order** those who wait run in the order in which
/// they began to. **Cancelled** nothing is left behind, and the count is as it was.
///
/// @since 0.1
public final class CountDown implements Awaitable<@Nullable Void> {
  private final Scheduler home;
  private final @Nullable String name;
  private final Zero zero;

  // loop only
  private int count;

  /// A count of the current loop.
  ///
  /// @param count at least 0; with 0, nothing ever waits for it
  /// @throws IllegalStateException outside a coroutine
  public CountDown(int count) {
    this(CoroutineNode.current().scheduler(), null, count);
  }

  /// A count of the current loop, with a name for reports.
  ///
  /// @param count at least 0
  /// @throws IllegalStateException outside a coroutine
  public CountDown(String name, int count) {
    this(CoroutineNode.current().scheduler(), Objects.requireNonNull(name, "name"), count);
  }

  private CountDown(Scheduler home, @Nullable String name, int count) {
    if (count < 0) {
      throw new IllegalArgumentException("a count of " + count + " never comes down to zero");
    }
    this.home = home;
    this.name = name;
    this.count = count;
    this.zero = new Zero();
  }

  // ---- counting ----

  /// Counts down by one, and at zero wakes all who wait. At zero already, does nothing, as the
  /// JDK's latch. **Suspends** never.
  ///
  /// @throws IllegalStateException when it belongs to another loop
  public void countDown() {
    current();
    if (count == 1) {
      if (zero.subscribers() > 0) {
        StackGuard.requireRoom(); // an overflow half-way would leave a waiter that never wakes
      }
      count = 0;
      zero.reached();
    } else if (count > 0) {
      count--;
    }
  }

  /// What is left to be counted down.
  public int count() {
    return count;
  }

  /// Whether the count is zero.
  public boolean isDone() {
    return count == 0;
  }

  // ---- waiting ----

  /// Waits until the count is zero. **Suspends** unless it is.
  ///
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits
  /// @throws IllegalStateException when it belongs to another loop
  public void await() {
    await(Deadline.never(), null);
  }

  /// Waits until the count is zero, but no longer than a deadline. Otherwise as [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public void await(Deadline deadline) {
    await(deadline, null);
  }

  /// Waits until the count is zero, but no longer than until `token` fires. Otherwise as
  /// [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void await(Awaitable<?> token) {
    await(Deadline.never(), EventSource.of(token));
  }

  private void await(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    if (count > 0) {
      self.renewWithTimeout(deadline, token);
      self.resumeWhen(zero);
      var _ = home.suspend(self);
    }
  }

  /// Fires once, when the count is zero.
  @Override
  public Event event() {
    return zero;
  }

  // ---- views ----

  /// The number of coroutines that wait, in [#await()] or in a [Select].
  public int waiting() {
    return zero.subscribers();
  }

  /// One line for reports: name, count, number of waiting coroutines.
  public String info() {
    return describe() + " with " + count + " to go, " + waiting() + " waiting";
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a count-down" : "the count-down '" + name + "'";
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; bring the outcome there by a RemotePromise");
    }
    return self;
  }

  private final class Zero extends EventSource {
    Zero() {
      super(home);
    }

    void reached() {
      fire(null, null);
    }

    @Override
    public boolean isClosed() {
      return count == 0;
    }

    @Override
    public String info() {
      return "zero of " + CountDown.this.info();
    }
  }
}
