// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The waiters of one object, in the order of arrival: coroutines of one loop that wait until it is
/// their turn.
///
/// **Thread** the loop's.
public abstract class WaitQueue {
  /*
   * A wait is one object, the Waiter: both the event that the coroutine waits for and the entry of
   * the queue. A coroutine that has what is waited for takes the oldest waiter out of the queue and
   * serves it: what it gives is kept in the waiter, and the waiting coroutine reads it there.
   *
   * States of a waiter.
   *   from     event                          to       who
   *   -        add(), then the wait begins    IN LINE  the waiting coroutine; it runs nothing else
   *                                                    between the two
   *   IN LINE  poll() or remove(), then       SERVED   the coroutine that has what is waited for
   *            serve()
   *   IN LINE  its wait ends otherwise        STALE    the canceller, the deadline or the token
   *   STALE    remove(), or found by peek()   LEFT     the waiting coroutine, or the one that looks
   *
   * Serving only queues the coroutine. Others run before it, and a cancellation, a deadline or a
   * token may end its wait although it was served. The waiting coroutine then hands on what it was
   * given. An outcome that cannot be handed on is final: it beats all of these, and a cancellation
   * is thrown at the coroutine's next wait.
   *
   * Leaving takes constant time, because the queue is linked.
   *
   * Sources. trap-1, trap-3, trap-4.
   */

  // loop only
  private @Nullable Waiter oldest;
  private @Nullable Waiter newest;
  private int size;

  // ---- for subclasses ----

  /// What the waiters wait for, in one line.
  protected abstract String info();

  /// As [EventSource#kind()], of a wait here.
  protected Class<?> kind() {
    return getClass();
  }

  /// Whether only coroutines of the loop serve the waiters; else other threads may, and waits count
  /// as waits for the outside world.
  protected boolean servedOnLoop() {
    return true;
  }

  /// The coroutines that must act before a waiter can be served, as far as is known.
  protected Collection<? extends Awaitable<?>> holders() {
    return List.of();
  }

  // ---- waiting ----

  /// Waits for its turn as the newest waiter. **Suspends.** A caller that hands on what it was
  /// given has the stack to do so: no wait begins without room for that in a deeper frame.
  ///
  /// @param token another event that ends the wait; null: none
  public final void await(
      Waiter waiter, Waker self, Deadline deadline, @Nullable EventSource token) {
    add(waiter);
    self.renewWithTimeout(deadline, token);
    self.resumeWhen(waiter);
    self.scheduler().suspend(self);
  }

  // ---- the queue ----

  /// The number of waiters, stale ones included.
  public final int size() {
    return size;
  }

  /// The oldest waiter that still waits; removes stale ones before it.
  public final @Nullable Waiter peek() {
    Waiter waiter = oldest;
    while (waiter != null && !waiter.hasObserver()) {
      remove(waiter);
      waiter = oldest;
    }
    return waiter;
  }

  /// Removes the oldest waiter that still waits.
  public final @Nullable Waiter poll() {
    Waiter waiter = peek();
    if (waiter != null) {
      remove(waiter);
    }
    return waiter;
  }

  /// Adds a waiter behind all others.
  public final void add(Waiter waiter) {
    Waiter before = newest;
    waiter.previous = before;
    if (before == null) {
      oldest = waiter;
    } else {
      before.next = waiter;
    }
    newest = waiter;
    waiter.queued = true;
    size++;
  }

  /// Removes a waiter; one that is not queued is ignored.
  public final void remove(Waiter waiter) {
    if (!waiter.queued) {
      return;
    }
    Waiter before = waiter.previous;
    Waiter after = waiter.next;
    if (before == null) {
      oldest = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.previous = before;
    }
    waiter.previous = null;
    waiter.next = null;
    waiter.queued = false;
    size--;
  }

  /// A wait for its turn: an event that fires once, when it is served.
  public static final class Waiter extends EventSource {
    private final WaitQueue queue;
    private @Nullable Waiter previous;
    private @Nullable Waiter next;
    private @Nullable Object item; // what it brings; once served, what it was given
    private int turn;
    private boolean queued;
    private boolean served;
    private boolean isFinal;

    /// A waiter for a coming wait; not queued yet.
    ///
    /// @param item what it brings; null: nothing
    public Waiter(WaitQueue queue, Scheduler home, @Nullable Object item) {
      super(home);
      this.queue = queue;
      this.item = item;
    }

    /// Joins its queue, as one of several things that the coming wait of `self` is for.
    public void join(Waker self) {
      queue.add(this);
      self.resumeWhen(this);
    }

    /// What it brings, or, once it was served, what it was given.
    public @Nullable Object item() {
      return item;
    }

    /// The number with which it was served.
    public int turn() {
      return turn;
    }

    /// Whether it was served.
    public boolean isServed() {
      return served;
    }

    /// Serves it, after it was polled.
    ///
    /// @param number what [#turn()] returns from now on
    public void serve(@Nullable Object given, int number) {
      served = true;
      item = given;
      turn = number;
      fire(null, null);
    }

    /// Serves it with a result that cannot be handed on: it gets null, and its wait returns, even
    /// if it is cancelled before it continues.
    public void serveFinally() {
      isFinal = true;
      serve(null, 0);
    }

    @Override
    public boolean isFinal() {
      return isFinal;
    }

    @Override
    public boolean isClosed() {
      return served;
    }

    @Override
    public boolean isDaemon() {
      return queue.servedOnLoop();
    }

    @Override
    public String info() {
      return queue.info();
    }

    @Override
    public Class<?> kind() {
      return queue.kind();
    }

    @Override
    public Object awaited() {
      return queue;
    }

    @Override
    public Collection<? extends Awaitable<?>> holders() {
      return queue.holders();
    }
  }
}
