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
   * The regions of a coroutine are nested like its blocks. A suspension point throws the request
   * of the outermost region that has one to deliver: that region unwinds the most. The region to
   * which the request belongs recognises its own cancellation as it passes, and turns it into what
   * the block promises (the scope's failure, a DeadlineException); all other regions let it
   * through. A request that was never delivered ends with its region. So neither can swallow the
   * other's.
   *
   * A wait in the JDK is interrupted. The interrupt that ends such a wait has delivered the
   * request, once, as a wait on the loop that throws it has: what follows is clean-up, and may
   * wait. A wait that an interrupt does not end (lock(), a monitor) is left alone, and the request
   * stays to be delivered.
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
   *   REQUESTED  supersede()            DELIVERED  a region around it has delivered: both unwind
   *                                            together
   *   DELIVERED  undeliver()         REQUESTED  the coroutine: a scope it left threw its
   *                                            failure instead
   *   DELIVERED  grace period over  FORCED  a timer, in a tick
   *   REQUESTED, force()           FORCED  the loop, past its shutdown deadline
   *   DELIVERED
   *   FORCED  deliver(),         FORCED  the coroutine, at every suspension point; each
   *              interrupted()                 wait in the JDK
   *   any        close()            CLOSED     the coroutine, as it leaves the block
   *
   * Threads. The loop's.
   *
   * I1. Until a region insists, at least the grace period passes between two of its deliveries.
   *     One that gave way to a failure is no delivery, and checkCancelled() throws once what an
   *     interrupt has delivered. [CancellationTest, CleanUpMatrixTest]
   * I2. A region that closes takes its timers and its undelivered request along.
   *     [CancellationTest]
   * I3. No two deliveries throw the same object, nor do two coroutines. Each repeats the first
   *     one, as its cause: by that a region recognises its own cancellation, also when a member
   *     brings it back. [CancellationTest]
   *
   * Rejected. Waiting for the next suspension on the loop after an interrupt: it would cut the
   * clean-up that waits there. The interrupt flag alone as the sign that a wait has ended: a
   * closed socket leaves the flag set, and so does lock(). Decision 0029.
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
  final int shields; // protect blocks around it: only those opened inside it hold it back

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
  private boolean mayHaveResult; // perhaps, in place of being cut: its result tells
  @Nullable CancelRegion interruptedBefore; // for whose sake the coroutine was, before this one
  private boolean interruptUnclaimed; // it has delivered, and no Cancellation has been thrown

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

  /// Cancels the region with a cancellation that nobody else gets.
  boolean request(Cancellation own) {
    if (state != OPEN) {
      return false;
    }
    cancellation = own;
    requested();
    return true;
  }

  /// Cancels the region with a cancellation that others get, too.
  boolean requestShared(Cancellation shared) {
    return state == OPEN && request(repeated(shared));
  }

  // a subclass of the program's may refuse
  private static Cancellation repeated(Cancellation of) {
    try {
      Cancellation again = of.again();
      if (again != null) {
        return again;
      }
    } catch (RuntimeException | LinkageError _) {
      // safe: what is thrown in its place says the same
    }
    return new Cancellation(String.valueOf(of.getMessage()), of);
  }

  /// Cancels the region for a reason; the cancellation is made where it is thrown.
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

  /// Also after the region has been closed.
  boolean wasRequested() {
    return everRequested;
  }

  /// Whether a body that has returned `result` went on to its end although it had been cut. Where
  /// the result may be what another thread handed over in that moment, it counts: it would be lost.
  /// Also after the region has been closed.
  boolean wasCancelled(@Nullable Object result) {
    return everDelivered && !(mayHaveResult && result != null);
  }

  /// Whether every suspension point is to throw.
  boolean isForced() {
    return state == FORCED;
  }

  /// Whether it is nested in another one.
  boolean isInside(CancelRegion around) {
    for (CancelRegion r = outer; r != null; r = r.outer) {
      if (r == around) {
        return true;
      }
    }
    return false;
  }

  /// Whether it has something to deliver at a point inside so many protect blocks.
  boolean delivers(int shieldsHere) {
    return hasSomethingToDeliver() && shieldsHere <= shields;
  }

  private boolean hasSomethingToDeliver() {
    return state == REQUESTED || state == FORCED;
  }

  /// What to throw now.
  Cancellation deliver() {
    interruptUnclaimed = false;
    Cancellation first = cancellation();
    Cancellation now = firstThrown ? repeated(first) : first;
    firstThrown = true;
    delivered();
    return now;
  }

  /// A wait of the JDK's is interrupted for its sake.
  ///
  /// @param before the region for whose sake the coroutine was interrupted before; null: none
  void interruptSent(@Nullable CancelRegion before) {
    everInterrupted = true;
    interruptedBefore = before == this ? interruptedBefore : before;
  }

  /// An interrupt for its sake has ended a wait of the JDK's.
  void interrupted() {
    if (state != CLOSED) {
      delivered();
      interruptUnclaimed = true;
    }
  }

  /// What the JDK threw for an interrupt was caught, and the code asks whether that was for a
  /// cancellation.
  ///
  /// @return the cancellation, once; null when none was delivered that way
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

  // while a loop stops, its deadline is the grace period of whole coroutines
  private boolean endsWithTheLoop() {
    return owner.isWhole(this) && owner.tree().host().isStopping();
  }

  /// It ends behind an interrupt that may have come too late for it: others may have handed over
  /// what it waited for.
  void markMayHaveResult() {
    mayHaveResult = true;
    everDelivered |= state == REQUESTED;
  }

  /// A region around it has delivered: what is in this one unwinds already.
  void supersede() {
    if (state == REQUESTED) {
      everDelivered = true;
      state = DELIVERED;
      owner.cancellationDelivered();
    }
  }

  /// What was delivered has given way to a failure, and nobody has seen it: it is to be delivered.
  void undeliver(Throwable delivered) {
    if (state == DELIVERED && delivered == cancellation) {
      state = REQUESTED;
      everDelivered = false;
      stop(grace, 0);
      grace = null;
      owner.cancellationRequested();
    }
  }

  /// What led to it; null when nothing failed.
  @Nullable Throwable cause() {
    return cause;
  }

  /// Whether `thrown` is to give way to what led to this region's end: its own cancellation does,
  /// and any other where a failure would be lost.
  boolean overrides(Throwable thrown) {
    return explains(thrown) || (thrown instanceof Cancellation && hasFailed());
  }

  /// Whether what bounds it has failed; a cancellation is no failure.
  boolean hasFailed() {
    return cause != null && !(cause instanceof Cancellation);
  }

  /// What bounds it fires now, or never again for this region.
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

  /// Whether a coroutine whose whole body is this region was cancelled, having thrown `thrown`: a
  /// body that swallows its cancellation, or never met it, was cancelled all the same.
  boolean endsAsCancelled(@Nullable Throwable thrown) {
    return isRequested() && (thrown == null || thrown instanceof Cancellation || explains(thrown));
  }

  /// Whether `thrown` is this region's own cancellation, or what the JDK makes of an interrupt sent
  /// for it, and not for a region around it.
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
        EventSource.of(event).onConsumed(); // it has cut this block, and cuts no other
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
