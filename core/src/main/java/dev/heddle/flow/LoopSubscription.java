// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.Interruptions;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import dev.heddle.loop.LoopRuntime;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A subscription: a coroutine that sends items to one subscriber, as many as that has requested.
final class LoopSubscription<T> implements Flow.Subscription, Sender<T> {
  /*
   * States.
   *   from      event                              to        who
   *   -         begin(): onSubscribe() returned,   SPAWNED   the coroutine that subscribes: the
   *             on the loop, the scope is open               scope cannot end without the new one
   *   -         begin(): onSubscribe() returned,   POSTED    the thread that subscribes
   *             elsewhere
   *   -         begin(): onSubscribe() threw       ENDED     the same: the failure is logged
   *   POSTED    start()                            SPAWNED   the loop
   *   POSTED    the loop or the scope has ended    ENDED     onError, on the thread that finds out
   *   SPAWNED   run()                              RUNNING   the coroutine
   *   SPAWNED   cancelled before its start         ENDED     the completion handler
   *   RUNNING   the source has ended               ENDED     the coroutine: onComplete
   *   RUNNING   the source fails, the coroutine    ENDED     the coroutine: onError
   *             is cancelled by its scope,
   *             request(n) with n < 1
   *   RUNNING   cancel(), or onNext() throws       ENDED     the coroutine: no signal
   *   SPAWNED,  the loop ends without the          ENDED     onError: a thread of its own, or the
   *   RUNNING   coroutine                                    coroutine, when onNext() has returned
   * ENDED drops the reference to the subscriber (rule 3.13).
   *
   * The end of the coroutine is what the subscriber gets. A coroutine that was cancelled ends with
   * its Cancellation, whatever its source made of that: an InterruptedException of the JDK, a
   * library's wrapper of one, or nothing.
   *
   * Threads. request() and cancel(): any, also inside onNext(). They only write `demand`,
   * `cancelled` and `invalid`, and signal the loop. The subscriber's other methods are called by
   * the coroutine alone, one after the other, and by others only when that cannot call them any
   * more; see Downstream. It is requested only when onSubscribe() has returned, so onNext() never
   * runs beside that (rule 1.3).
   *
   * I1. No more items are emitted than were requested. [FlowsTest]
   * I2. One terminal signal, or none after cancel(). [FlowsTest]
   * I3. A request from inside onNext() does not call onNext() (rule 3.3): it adds to the demand.
   *     [FlowsTest]
   * I4. request() and cancel() do not wait, whatever the loop does. [the TCK]
   *
   * Memory order. request() adds to `demand`, then posts; the coroutine subscribes to the arrival,
   * then reads `demand`. The inbox orders the two (Inbox, I2 and I3), so no request is missed.
   *
   * Rejected. Emission on the thread that requests, as in other libraries: the source belongs to
   * the loop.
   *
   * Sources. Reactive Streams 1.0.4.
   */
  private final LoopRuntime loop;
  private final ScopeNode scope;
  private final String name;
  private final Emission<T> source;
  private final RemoteSignal change;
  private final Runnable stop = this::stop; // made in time: linking takes stack

  // any thread
  private final Downstream<T> downstream;
  private final AtomicLong demand = new AtomicLong();
  private volatile boolean cancelled;
  private volatile @Nullable IllegalArgumentException invalid;

  // loop only
  private @Nullable Coroutine<?> coroutine;

  LoopSubscription(
      LoopRuntime loop,
      ScopeNode scope,
      String name,
      Emission<T> source,
      Flow.Subscriber<? super T> subscriber) {
    this.loop = loop;
    this.scope = scope;
    this.name = name;
    this.source = source;
    this.downstream = new Downstream<>(subscriber);
    this.change =
        new RemoteSignal(
            loop.scheduler(),
            loop.scheduler().inbox(),
            "a request of the subscriber of " + name,
            this::isDue,
            this::changed);
  }

  // ---- the subscriber's side, any thread ----

  @Override
  public void request(long n) {
    if (n > 0) {
      if (demand.getAndAccumulate(n, LoopSubscription::saturatingSum) == 0) {
        change.signal();
      }
    } else if (invalid == null) {
      invalid =
          new IllegalArgumentException(
              "a subscriber of "
                  + name
                  + " has requested "
                  + n
                  + " items; request at least one (3.9)");
      change.signal();
    }
  }

  private static long saturatingSum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum; // rule 3.17
  }

  @Override
  public void cancel() {
    if (!cancelled) {
      cancelled = true;
      change.signal();
    }
  }

  private boolean isOver() {
    return cancelled || invalid != null;
  }

  private boolean isDue() {
    return demand.get() > 0 || isOver();
  }

  // in a tick
  private void changed() {
    if (isOver()) {
      loop.scheduler().runWithRoom(stop);
    }
  }

  private void stop() {
    if (coroutine != null && !loop.scheduler().hasEnded()) {
      coroutine.cancel("the subscriber of " + name + " has cancelled");
    }
  }

  // ---- starting ----

  /// Calls `onSubscribe`, and starts the coroutine. **Thread** any.
  void begin() {
    Flow.Subscriber<? super T> to = Objects.requireNonNull(downstream.take());
    try {
      to.onSubscribe(this);
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      cancelled = true;
      throwIfCancelled(e);
      reportSubscriber("onSubscribe", e);
    }
    if (cancelled) {
      return;
    }
    downstream.putBack(to);
    if (loop.isCurrent() && scope.isOpen() && StackGuard.hasAmpleRoom()) {
      startHere();
      return;
    }
    var _ =
        loop.submit("subscribe to " + name, this::start)
            .whenComplete((_, refused) -> refuse(refused));
  }

  // a spawn inherits, which may run user code
  private void startHere() {
    try {
      start();
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      end(e);
    }
  }

  private @Nullable Void start() {
    Coroutine<?> started = scope.spawn(name, (Action) this::run);
    coroutine = started;
    Abandonment.watch(loop, started, name, () -> end(ended()));
    started.onCompletion(c -> end(c.failure())); // it has never begun
    if (isOver()) {
      stop();
    }
    return null;
  }

  // on the loop, or, if that has ended, on a thread of its own
  private void refuse(@Nullable Throwable why) {
    if (why == null) {
      return;
    }
    if (cancelled) {
      var _ = downstream.take(); // nothing is lost: its source has not begun
      return;
    }
    end(why instanceof CompletionException && why.getCause() != null ? why.getCause() : why);
  }

  // ---- the coroutine ----

  private void run() throws Exception {
    Throwable thrown = null;
    try {
      source.emitTo(this);
    } catch (Throwable e) {
      thrown = e;
    }
    if (loop.scheduler().hasEnded()) {
      end(ended()); // on a thread of the JDK: nothing of Heddle works here
      return;
    }
    CoroutineNode<?> self = CoroutineNode.current();
    Throwable why = self.outcomeOf(thrown);
    self.<@Nullable Void>shielded(() -> {
      end(why);
      return null;
    });
    if (thrown != null && FailureTable.isFatal(thrown)) {
      throw Rethrow.unchecked(thrown);
    }
  }

  private LoopEndedException ended() {
    return new LoopEndedException(
        "the loop '" + loop.options().name() + "' has ended, and " + name + " with it");
  }

  private void end(@Nullable Throwable failure) {
    Flow.Subscriber<? super T> to = downstream.take();
    if (to == null) {
      return;
    }
    Throwable why = invalid != null ? invalid : failure;
    try {
      if (cancelled) {
        reportUnseen(failure);
      } else if (why == null) {
        to.onComplete();
      } else {
        to.onError(why);
      }
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      reportSubscriber(why == null ? "onComplete" : "onError", e);
    }
  }

  private void reportUnseen(@Nullable Throwable failure) {
    if (failure != null
        && !(failure instanceof Cancellation)
        && !(failure instanceof LoopEndedException)) {
      loop.report(name + " failed after its subscriber had cancelled", failure);
    }
  }

  private void reportSubscriber(String method, Throwable failure) {
    loop.report(
        "a subscriber of "
            + name
            + " threw from "
            + method
            + ", which Reactive Streams forbids (2.13); it gets nothing more",
        failure);
  }

  // ---- emitting, in the coroutine ----

  @Override
  public void send(T item) {
    Objects.requireNonNull(item, "item");
    if (CoroutineNode.current() != coroutine) {
      throw new IllegalStateException(
          "only the coroutine of the producer sends for "
              + name
              + "; collect the items of others in a Channel");
    }
    if (awaitDemand(null)) {
      emit(item);
    }
  }

  /// Waits until the subscriber has requested an item, or until no item will come.
  ///
  /// @param end closed when no item will come; null: only the source knows
  /// @return false when the subscriber has cancelled, and the coroutine is shielded from that
  boolean awaitDemand(@Nullable EventSource end) {
    CoroutineNode<?> self = CoroutineNode.current();
    loop.scheduler().consumeBudget(self);
    while (!isDue() && (end == null || !end.isClosed())) {
      self.renew();
      self.resumeWhen(change);
      if (end != null) {
        self.resumeWhen(end);
      }
      var _ = loop.scheduler().suspend(self);
    }
    if (isOver()) {
      leave();
      return false;
    }
    return true;
  }

  private void leave() {
    stop();
    CoroutineNode.current().checkCancelled();
  }

  void emit(T item) {
    if (item == null) {
      throw new NullPointerException(
          "an event without a value cannot be published by "
              + name
              + ": Reactive Streams have no null (2.13)");
    }
    // the end was reached without a request, and then a cancelled receiver handed an item back
    if (!isDue() && !awaitDemand(null)) {
      return;
    }
    if (demand.get() != Long.MAX_VALUE) {
      demand.decrementAndGet();
    }
    Flow.Subscriber<? super T> to = downstream.take();
    if (to == null) {
      throw ended(); // another thread has signalled that
    }
    try {
      to.onNext(item);
    } catch (Throwable e) {
      onNextFailed(e);
    } finally {
      downstream.putBack(to);
    }
    if (loop.scheduler().hasEnded()) {
      LoopEndedException ended = ended();
      end(ended);
      throw ended;
    }
  }

  private void onNextFailed(Throwable failure) {
    FailureTable.throwIfFatal(failure);
    throwIfCancelled(failure);
    cancelled = true;
    reportSubscriber("onNext", failure);
    leave();
  }

  // the wait of a subscriber ends with the coroutine, or with the loop: that is no failure of it
  private void throwIfCancelled(Throwable thrown) {
    boolean ended = thrown instanceof LoopEndedException && loop.scheduler().hasEnded();
    if (thrown instanceof Cancellation || ended) {
      throw Rethrow.unchecked(thrown);
    }
    CoroutineNode<?> self = CoroutineNode.onLoopOrNull();
    if (self != null && Interruptions.isCausedByInterrupt(thrown)) {
      self.checkCancelled();
    }
  }
}
