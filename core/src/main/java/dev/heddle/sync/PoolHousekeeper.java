// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Nanos;
import dev.heddle.scheduler.Scheduler;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The coroutine that keeps a [Pool] in order: checks idle resources, destroys those that are too
/// old or unused, makes missing ones, reports leaks.
///
/// It is a background member of the root scope, and sleeps on daemon timers: it neither keeps the
/// loop alive nor hides a deadlock.
///
/// **Thread** the loop's.
final class PoolHousekeeper<R> {
  private static final Duration REFILL = Duration.ofSeconds(30); // a failed factory is tried again

  private final Pool<R> pool;
  private final PoolOptions<R> options;
  private final Closing closing;

  // loop only
  private long healthDue = Nanos.NEVER;

  PoolHousekeeper(Pool<R> pool) {
    this.pool = pool;
    this.options = pool.options;
    this.closing = new Closing(pool.home);
  }

  void start() {
    boolean needed =
        options.min > 0
            || options.healthPeriod != null
            || options.idleTime != null
            || options.lifetime != null
            || options.leakTime != null;
    if (needed) {
      healthDue = after(pool.now(), options.healthPeriod);
      pool.tree.root().background("housekeeper of " + pool.describe(), this::run);
    }
  }

  void stop() {
    closing.fire();
  }

  private void run() {
    CoroutineNode<?> self = CoroutineNode.current();
    while (!pool.isClosed()) {
      try {
        pool.home.await(pool.tree.daemonTimer(nextDue()), closing);
      } catch (WaitCancelledException _) {
        continue; // closed; else an interrupt, which has no meaning here
      }
      try {
        sweep();
      } catch (Throwable e) {
        FailureTable.throwIfFatal(e);
        if (self.isCancelled()) {
          throw e;
        }
        // a cancellation that a hook met elsewhere, or a bug of a hook, a stack overflow included:
        // not the end of the housekeeper, and not of the program
        pool.tree.host().report("the housekeeper of " + pool.describe() + " failed", e);
      }
    }
  }

  // ---- when ----

  // no resource becomes due earlier than its time from now, so this sleep is never too long
  private long nextDue() {
    long now = pool.now();
    long next = Math.min(healthDue, options.min > 0 ? after(now, REFILL) : Nanos.NEVER);
    next = Math.min(next, after(now, options.idleTime));
    next = Math.min(next, after(now, options.lifetime));
    next = Math.min(next, after(now, options.leakTime));
    for (Pooled<R> place : pool.idle) {
      next = Math.min(next, after(place.createdAt, options.lifetime));
      if (pool.size > options.min) {
        next = Math.min(next, after(place.idleSince, options.idleTime));
      }
    }
    for (Lease<R> lease : pool.leases) {
      if (!lease.leakReported) {
        next = Math.min(next, after(lease.since(), options.leakTime));
      }
    }
    return next;
  }

  private static long after(long point, @Nullable Duration time) {
    return time == null ? Nanos.NEVER : Nanos.after(point, time);
  }

  private boolean isDue(long point, @Nullable Duration time) {
    long due = after(point, time);
    return due != Nanos.NEVER && pool.now() - due >= 0;
  }

  // ---- what ----

  private void sweep() {
    reportLeaks();
    for (Pooled<R> place = pollOverdue(); place != null; place = pollOverdue()) {
      try {
        pool.destroy(place);
      } finally {
        pool.giveBack(place);
      }
    }
    if (pool.now() - healthDue >= 0) {
      healthDue = after(pool.now(), options.healthPeriod);
      checkHealth();
    }
    refill();
  }

  private void reportLeaks() {
    for (Lease<R> lease : pool.leases) {
      if (!lease.leakReported && isDue(lease.since(), options.leakTime)) {
        lease.leakReported = true;
        pool.tree
            .host()
            .report("a lease of " + pool.describe() + " may never be closed: " + lease, null);
      }
    }
  }

  // the one that was unused longest
  private @Nullable Pooled<R> pollOverdue() {
    for (Iterator<Pooled<R>> oldestFirst = pool.idle.descendingIterator();
        oldestFirst.hasNext(); ) {
      Pooled<R> place = oldestFirst.next();
      boolean unused = pool.size > options.min && isDue(place.idleSince, options.idleTime);
      if (unused || pool.isTooOld(place)) {
        oldestFirst.remove();
        return place;
      }
    }
    return null;
  }

  // each is put back in front, so the order stays
  private void checkHealth() {
    for (Pooled<R> place : List.copyOf(pool.idle).reversed()) {
      if (pool.idle.removeLastOccurrence(place)) { // else it was lent meanwhile
        try {
          var _ = pool.passes(place, options.healthCheck);
        } finally {
          pool.giveBack(place);
        }
      }
    }
  }

  private void refill() {
    try {
      while (pool.size < options.min && !pool.isClosed() && pool.mayMakeAhead()) {
        pool.addOne();
      }
    } catch (RuntimeException e) {
      CoroutineNode.current().checkCancelled(); // a wait in the JDK may have thrown it
      pool.tree.host().report("the factory of " + pool.describe() + " failed", e);
    }
  }

  /// Ends the housekeeper's sleep when the pool is closed.
  private static final class Closing extends EventSource {
    private boolean fired;

    Closing(Scheduler home) {
      super(home);
    }

    void fire() {
      fired = true;
      fire(null, null);
    }

    @Override
    public boolean isClosed() {
      return fired;
    }

    @Override
    public String info() {
      return "the end of a pool";
    }
  }
}
