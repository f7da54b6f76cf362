// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.reactor.TimerEvent;
import org.jspecify.annotations.Nullable;

/// A part of a coroutine's execution that can be cancelled as one: its whole body, a scope block,
/// or a block with a deadline.
final class CancelRegion implements InlineCallback {
  /*
   * The regions of a coroutine are nested like its blocks. A suspension point throws the request of
   * the outermost region that has one to deliver, since that region unwinds the most. The region
   * that made the request recognises its own cancellation and converts it into the result of the
   * block (the scope's failure, a DeadlineException); all other regions let it pass. A request that
   * was never delivered ends with its region. So no region can swallow the request of another.
   *
   * A wait in the JDK is interrupted. An interrupt that ends the wait counts as the delivery of the
   * request, like a throw from a wait in Heddle: the code after it is clean-up, and may wait. A
   * wait that an interrupt does not end (lock(), a monitor) is left alone, and the request remains
   * to be delivered.
   *
   * States.
   *   from       event              to         who
   *   OPEN       request(reason)    REQUESTED  the code that cancels; a second request
   *                                            changes nothing
   *   REQUESTED  deliver()          DELIVERED  the coroutine, at a suspension point that is
   *                                            not shielded
   *   REQUESTED  interrupted()      DELIVERED  the coroutine at its next call, or the loop
   *                                            when it is parked again: an interrupt has
   *                                            ended its wait in the JDK
   *   REQUESTED  supersede()        DELIVERED  the coroutine: a region around it delivers, and
   *                                            both unwind together
   *   DELIVERED  undeliver()        REQUESTED  the coroutine: the failure of a scope that it left
   *                                            replaced the cancellation on its way
   *   DELIVERED  grace period over  FORCED     a timer, in a tick
   *   REQUESTED, force()            FORCED     the loop, past its shutdown deadline
   *   DELIVERED
   *   FORCED     deliver(),         FORCED     the coroutine: every suspension point throws, and
   *              interrupted()                 every wait in the JDK is interrupted
   *   any        close()            CLOSED     the coroutine, as it leaves the block
   *
   * Threads. The loop's.
   *
   * I1. Until a region is forced, at least the grace period passes between two of its deliveries. A
   *     delivery that a failure superseded does not count. After an interrupt has delivered,
   *     checkCancelled() throws once. [CancellationTest, CleanUpMatrixTest]
   * I2. A region that closes discards its timers and its undelivered request. [CancellationTest]
   * I3. No two deliveries throw the same object, nor do two coroutines. Each further one has the
   *     first as its cause: by that a region recognises its own cancellation, also when a member
   *     throws it back. [CancellationTest]
   *
   * Rejected. Delivering at the next suspension in Heddle after an interrupt: it would cancel the
   * clean-up that waits there. The interrupt flag alone as the sign that a wait has ended: the flag
   * is also set after a closed socket and after lock(). Decision 0029.
   *
   * Sources. trap-17, trap-19, trap-20, trap-61; trio's cancel scopes.
   */
  private static final int OPEN = 0;
  private static final int REQUESTED = 1;
  private static final int DELIVERED = 2;
  private static final int FORCED = 3;
  private static final int CLOSED = 4;

  private final CancellableCoroutine owner;
  final @Nullable CancelRegion outer;
  final int shields; // shields around it: only those opened inside it hold it back

  // loop only
  private int state = OPEN;
  private @Nullable Cancellation cancellation;
  private @Nullable String reason;
  private @Nullable Throwable cause;
  private @Nullable EventSource limit;
  private boolean limitStarted;
  private int limitIndex; // of this region among the limit's subscribers
  private @Nullable TimerEvent grace;
  private boolean everRequested;
  private boolean everDelivered;
  private boolean everInterrupted; // whether or not that ended the wait
  private boolean firstThrown;
  private boolean mayHaveResult; // although cancelled; then its result counts
  @Nullable CancelRegion interruptedBefore; // the region interrupted before this one
  private boolean interruptUnclaimed; // delivered by interrupt; no Cancellation thrown yet

  CancelRegion(CancellableCoroutine owner, @Nullable CancelRegion outer, int shields) {
    this.owner = owner;
    this.outer = outer;
    this.shields = shields;
  }

  /// Cancels the region when `end` fires, or now if it has fired for the last time.
  void bound(EventSource end, String why) {
    limit = end;
    reason = why;
    if (end.isClosed()) {
      end.replay(this);
    } else {
      limitIndex = end.add(this);
      end.start();
      limitStarted = true;
    }
  }

  boolean request(Cancellation own) {
    if (state != OPEN) {
      return false;
    }
    cancellation = own;
    requested();
    return true;
  }

  boolean requestShared(Cancellation shared) {
    return state == OPEN && request(repeated(shared));
  }

  // a user's subclass may throw
  private static Cancellation repeated(Cancellation of) {
    try {
      Cancellation again = of.again();
      if (again != null) {
        return again;
      }
    } catch (RuntimeException | LinkageError _) {
      // safe: the replacement below carries the same message
    }
    return new Cancellation(String.valueOf(of.getMessage()), of);
  }

  void request(String why, @Nullable Throwable because) {
    if (state == OPEN) {
      reason = why;
      cause = because;
      requested();
    }
  }

  private void requested() {
    state = REQUESTED;
    everRequested = true;
    owner.cancellationRequested();
  }

  boolean isClosed() {
    return state == CLOSED;
  }

  boolean isRequested() {
    return state == REQUESTED || state == DELIVERED || state == FORCED;
  }

  /// Whether it was cancelled, as seen from a point inside `shieldsHere` shields.
  boolean isRequestedAt(int shieldsHere) {
    return isRequested() && shieldsHere <= shields;
  }

  /// Whether its cancellation has been delivered, as seen from a point inside `shieldsHere`
  /// shields.
  ///
  /// @param interrupted whether an interrupt has delivered what was requested
  boolean isDeliveredAt(int shieldsHere, boolean interrupted) {
    return isRequestedAt(shieldsHere) && (interrupted || state != REQUESTED);
  }

  /// Also after the region has been closed.
  boolean wasRequested() {
    return everRequested;
  }

  /// Whether a body that returned `result` had been cancelled and continued to its end. A result
  /// that another thread may have handed over just then counts as success, since it would be lost
  /// otherwise. Valid after the region has been closed.
  boolean wasCancelled(@Nullable Object result) {
    return everDelivered && !(mayHaveResult && result != null);
  }

  boolean isForced() {
    return state == FORCED;
  }

  boolean isInside(CancelRegion around) {
    for (CancelRegion r = outer; r != null; r = r.outer) {
      if (r == around) {
        return true;
      }
    }
    return false;
  }

  /// Whether it has something to deliver at a point inside `shieldsHere` shields.
  boolean delivers(int shieldsHere) {
    return hasSomethingToDeliver() && shieldsHere <= shields;
  }

  private boolean hasSomethingToDeliver() {
    return state == REQUESTED || state == FORCED;
  }

  Cancellation deliver() {
    interruptUnclaimed = false;
    Cancellation first = cancellation();
    Cancellation now = firstThrown ? repeated(first) : first;
    firstThrown = true;
    delivered();
    return now;
  }

  /// Called when a wait in the JDK is interrupted for this region.
  ///
  /// @param before the region for which the coroutine was interrupted before; null: none
  void interruptSent(@Nullable CancelRegion before) {
    everInterrupted = true;
    interruptedBefore = before == this ? interruptedBefore : before;
  }

  /// Called when an interrupt for this region has ended a wait in the JDK.
  void interrupted() {
    if (state != CLOSED) {
      delivered();
      interruptUnclaimed = true;
    }
  }

  /// Called when code that caught a JDK exception asks whether it was caused by a cancellation.
  ///
  /// @return the cancellation, once; null if none was delivered by an interrupt
  @Nullable Cancellation claimInterrupt(int shieldsHere) {
    if (!interruptUnclaimed || !isRequested() || shieldsHere > shields) {
      return null;
    }
    interruptUnclaimed = false;
    firstThrown = true;
    return cancellation();
  }

  private void delivered() {
    everDelivered = true;
    owner.supersedeInside(this);
    if (state != REQUESTED) {
      return;
    }
    state = DELIVERED;
    owner.cancellationDelivered();
    if (!endsWithTheLoop()) {
      grace = owner.tree().daemonTimer(owner.tree().options().gracePeriod());
      grace.subscribe(this);
      grace.start();
    }
  }

  // while a loop stops, its shutdown deadline is the grace period of whole coroutines
  private boolean endsWithTheLoop() {
    return owner.isWhole(this) && owner.tree().host().isStopping();
  }

  /// Called when it ends after an interrupt that may have come too late: another thread may have
  /// handed over the awaited item.
  void markMayHaveResult() {
    mayHaveResult = true;
    everDelivered |= state == REQUESTED;
  }

  /// Called when a region around it has delivered: the code in this one is unwinding already.
  void supersede() {
    if (state == REQUESTED) {
      everDelivered = true;
      state = DELIVERED;
      owner.cancellationDelivered();
    }
  }

  /// Called when a failure superseded the delivered cancellation before any code saw it: it must be
  /// delivered again.
  void undeliver(Throwable delivered) {
    if (state == DELIVERED && delivered == cancellation) {
      state = REQUESTED;
      everDelivered = false;
      stop(grace, 0);
      grace = null;
      owner.cancellationRequested();
    }
  }

  @Nullable Throwable cause() {
    return cause;
  }

  /// Whether the cause of this region's end supersedes `thrown`: it does for its own cancellation,
  /// and for any other one if a failure would be lost otherwise.
  boolean overrides(Throwable thrown) {
    return explains(thrown) || (thrown instanceof Cancellation && hasFailed());
  }

  /// Whether the token or timer that bounds it failed; a cancellation is not a failure.
  boolean hasFailed() {
    return cause != null && !(cause instanceof Cancellation);
  }

  /// A later firing of the bound has no effect on this region.
  @Override
  public boolean accepts() {
    return state == OPEN;
  }

  Cancellation cancellation() {
    Cancellation c = cancellation;
    if (c == null) {
      c = new Cancellation(reason == null ? "cancelled" : reason, cause);
      cancellation = c;
    }
    return c;
  }

  /// Whether a coroutine whose whole body is this region counts as cancelled after its body threw
  /// `thrown`: also if the body swallowed its cancellation, or never met it.
  boolean endsAsCancelled(@Nullable Throwable thrown) {
    return isRequested() && (thrown == null || thrown instanceof Cancellation || explains(thrown));
  }

  /// Whether `thrown` is this region's own cancellation, or the JDK's exception for an interrupt
  /// that was sent for this region and not for an outer one.
  boolean explains(Throwable thrown) {
    return isRequested()
        && (isOwn(thrown)
            || (everInterrupted
                && !owner.wasInterruptedOutside(this)
                && Interruptions.isCausedByInterrupt(thrown)));
  }

  private boolean isOwn(Throwable thrown) {
    return cancellation != null
        && thrown instanceof Cancellation c
        && c.first() == cancellation.first();
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    if (event == limit) {
      if (state == OPEN) {
        cause = error;
        EventSource.of(event).onConsumed(); // it cancels only this block
        requested();
        owner.cancelInside(this);
      }
    } else if (!endsWithTheLoop()) {
      force();
      owner.gracePeriodEnded(cancellation());
    }
  }

  @Override
  public void moved(Event event, int place) {
    if (event == limit) {
      limitIndex = place;
    }
  }

  /// Throws at every suspension point from now on.
  void force() {
    if (state == REQUESTED) {
      state = FORCED;
    } else if (state == DELIVERED) {
      state = FORCED;
      owner.cancellationRequested();
    }
  }

  void close() {
    boolean undelivered = hasSomethingToDeliver();
    state = CLOSED;
    if (undelivered) {
      owner.cancellationDelivered();
    }
    if (limitStarted) {
      stop(limit, limitIndex);
    }
    stop(grace, 0);
    limit = null;
    grace = null;
  }

  private void stop(@Nullable EventSource end, int place) {
    if (end != null) {
      end.unsubscribe(this, place);
      end.stop();
    }
  }
}
