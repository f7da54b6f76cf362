// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.Action;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.loop.LoopRuntime;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A subscriber whose items a coroutine delivers on its loop.
abstract class Inflow<T> implements Flow.Subscriber<T> {
  /*
   * Signals come on any thread. They go into the queue `arrived` and the fields beside it, and
   * signal the loop. The coroutine takes them out, delivers them, and requests more.
   *
   * Demand. `window` items are requested at first; when half of them were delivered, as many are
   * requested again. So the publisher rarely has to wait, and a request is rare, too. Requested and
   * not yet delivered are never more than `window`; a publisher that sends more breaks rule 1.1 and
   * is cancelled, because the queue would have no limit.
   *
   * Ends.
   *   by                                     the publisher is      the receivers get
   *   onComplete()                           done                  what has arrived, the end
   *   onError()                              done                  what has arrived, the failure
   *   the receivers want no more             cancelled             nothing
   *   too many items, or request() throws    cancelled             what has arrived, the failure
   *   no memory for an item                  cancelled             what has arrived, the failure
   *   the end of the scope                   cancelled             the cancellation
   *   the end of the loop without the        cancelled, on a       -
   *   coroutine                              thread of its own
   *
   * A subscription that comes when this has ended, and a second one, are cancelled (2.5).
   *
   * I1. Items are delivered in order, each once. [FlowsTest, the TCK]
   * I2. Whatever ends this, the upstream subscription is completed or cancelled. [FlowsTest]
   *
   * Memory order. Of the subscription: see Upstream. Of items and ends: each is written, then
   * signalled; see RemoteSignal.
   *
   * Sources. Reactive Streams 1.0.4.
   */
  private final LoopRuntime loop;
  private final String what;
  private final int window;
  private final RemoteSignal change;

  // any thread
  private final Queue<T> arrived;
  private final Upstream upstream = new Upstream();
  private final AtomicLong outstanding = new AtomicLong(); // requested, and not arrived yet
  private final AtomicBoolean done = new AtomicBoolean(); // claimed by the one terminal signal
  private volatile boolean complete; // after everything that came before it
  private volatile boolean upstreamEnded; // by itself: there is nothing to cancel

  // written before `complete`
  private @Nullable Throwable failure;

  // loop only
  private boolean requested;
  private boolean finished;
  private int delivered; // since the last request

  /// An inflow of the current loop.
  ///
  /// @param window the most items that are requested and not delivered
  Inflow(String what, int window) {
    this(what, window, new ConcurrentLinkedQueue<>());
  }

  /// An inflow with a queue of the caller's choice, which any thread adds to.
  Inflow(String what, int window, Queue<T> arrived) {
    this.loop = LoopRuntime.current();
    this.what = what;
    this.window = window;
    this.arrived = arrived;
    this.change =
        new RemoteSignal(
            loop.scheduler(),
            loop.scheduler().inbox(),
            "the next item of " + what,
            this::isDue,
            () -> {});
  }

  // ---- the receiving side, loop only ----

  /// Delivers an item. May suspend.
  abstract void deliver(T item);

  /// Nothing more will be delivered.
  abstract void finish(@Nullable Throwable why);

  /// Whether the receivers want no more.
  abstract boolean isUnwanted();

  /// Fires when the receivers want no more; null: then [#unwanted()] is called.
  abstract @Nullable EventSource closed();

  final void unwanted() {
    change.signal();
  }

  // ---- signals, any thread ----

  @Override
  public final void onSubscribe(Flow.Subscription subscription) {
    Objects.requireNonNull(subscription, "subscription");
    boolean taken = false;
    try {
      taken = upstream.offer(subscription);
    } catch (Throwable e) {
      reportCancel(e);
    }
    if (taken) {
      change.signal();
    }
  }

  @Override
  public final void onNext(T item) {
    Objects.requireNonNull(item, "item");
    if (upstream.hasEnded() || complete) {
      return;
    }
    try {
      take(item);
    } catch (Throwable e) {
      // not thrown: the publisher could do nothing about it (2.13), and the receivers must know
      terminate(e);
      cancelUpstream();
    }
  }

  private void take(T item) {
    if (outstanding.getAndDecrement() <= 0) {
      throw new IllegalStateException(
          "the publisher of " + what + " has sent more items than were requested (1.1)");
    }
    arrived.add(item);
    change.signal();
  }

  @Override
  public final void onError(Throwable thrown) {
    Objects.requireNonNull(thrown, "failure");
    upstreamEnded = true;
    terminate(thrown);
  }

  @Override
  public final void onComplete() {
    upstreamEnded = true;
    terminate(null);
  }

  private void terminate(@Nullable Throwable why) {
    if (done.compareAndSet(false, true)) {
      failure = why;
      complete = true;
      change.signal();
    }
  }

  private boolean isDue() {
    return !arrived.isEmpty() || complete || isUnwanted() || (!requested && upstream.get() != null);
  }

  // ---- the coroutine ----

  /// Subscribes, and starts the coroutine as a background member of the current scope.
  final void begin(Flow.Publisher<? extends T> publisher) {
    try {
      publisher.subscribe(this);
      Coroutine<?> started =
          CoroutineNode.current().currentScope().addBackground(what, (Action) this::run);
      Abandonment.watch(loop, started, what, this::endUpstream);
      started.onCompletion(c -> finishOnce(c.failure())); // it has never begun
    } catch (Throwable e) {
      finishOnce(e);
      throw e;
    }
  }

  private void run() {
    Throwable thrown = null;
    try {
      while (!isUnwanted() && !isAtEnd()) {
        step();
      }
    } catch (Throwable e) {
      thrown = e;
    }
    if (loop.scheduler().hasEnded()) {
      endUpstream(); // on a thread of the JDK: nothing of Heddle works here
      return;
    }
    Throwable why = thrown == null ? failure : CoroutineNode.current().outcomeOf(thrown);
    finishOnce(why);
    if (why != null && FailureTable.isFatal(why)) {
      throw Rethrow.unchecked(why);
    }
  }

  // what arrived before `complete` was written is visible after it was read
  private boolean isAtEnd() {
    return complete && arrived.isEmpty();
  }

  private void step() {
    Flow.Subscription from = upstream.get();
    if (!requested && from != null) {
      requested = true;
      request(from, window);
    }
    T item = arrived.poll();
    if (item == null) {
      awaitChange();
      return;
    }
    deliver(item);
    if (from != null && ++delivered >= (window + 1) / 2 && !complete) {
      int more = delivered;
      delivered = 0;
      request(from, more);
    }
  }

  private void request(Flow.Subscription from, int n) {
    outstanding.addAndGet(n); // first: the items may come inside the call
    from.request(n);
  }

  private void awaitChange() {
    CoroutineNode<?> self = CoroutineNode.current();
    EventSource end = closed();
    self.renew();
    self.resumeWhen(change);
    if (end != null) {
      self.resumeWhen(end);
    }
    var _ = loop.scheduler().suspend(self);
  }

  private void finishOnce(@Nullable Throwable why) {
    if (finished) {
      return;
    }
    finished = true;
    try {
      endUpstream();
    } finally {
      if (!isUnwanted()) {
        finish(why);
      }
    }
  }

  private void endUpstream() {
    upstream.end();
    arrived.clear();
    if (!upstreamEnded) {
      cancelUpstream();
    }
  }

  private void cancelUpstream() {
    Flow.Subscription from = upstream.get();
    if (from == null) {
      return;
    }
    try {
      from.cancel();
    } catch (Throwable e) {
      reportCancel(e);
    }
  }

  private void reportCancel(Throwable failure) {
    FailureTable.throwIfFatal(failure);
    loop.report("the publisher of " + what + " failed while it was cancelled (3.15)", failure);
  }
}
