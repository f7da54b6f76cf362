// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.coroutine.ItemTest;
import dev.heddle.event.source.EventSource;
import dev.heddle.scheduler.Microtask;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One run of a concurrent iteration: workers that share the source.
public final class ConcurrentIteration<T extends @Nullable Object> extends Microtask {
  /*
   * A worker: takes an item ─> prepares a standby worker, posts the microtask ─> calls the action
   * ─> takes the next item ─> ...
   *
   * The next tick runs the microtask, hence not before the action suspends. The microtask queues
   * the standby worker, which continues with the next item. If the action does not suspend, the
   * microtask stays posted and one worker does all the work, as in a plain loop. So concurrency
   * grows as needed, by one worker for each waiting action.
   *
   * The worker creates the standby worker, not the microtask: a coroutine inherits from the thread
   * that creates it, and inheriting may call user code; a tick runs on the stack of any coroutine.
   *
   * States of the source.
   *   from     event                            to       who
   *   IDLE   a worker asks for the next item  TAKEN  the worker, `advancing`
   *   TAKEN  the item is available            IDLE   `advancing`
   *   any    no item left, failure, stop      OVER   the coroutine that finds out
   * The source may suspend while it is TAKEN. A worker that finds it TAKEN ends; `advancing` posts
   * the microtask when it has its item.
   *
   * Threads. The loop's.
   *
   * I1. workers <= limit, including the one in the source. Actions run only in workers, so the
   *     limit is exact. A worker counts from the moment it is queued; otherwise several ticks
   *     before its start would each queue another one. [ForEachTest]
   * I2. One worker at a time calls the source, and each item goes to exactly one action.
   *     [ForEachTest]
   * I3. While the source is not OVER, a worker is in it, or a worker will return to it, or the
   *     microtask is posted. [ForEachTest]
   *
   * Cost. One worker, plus one for each suspended action beyond the first; one object for each,
   * none for an item.
   *
   * Rejected. A worker for each item: a million objects for a list of a million. A fixed set of
   * workers: `limit` coroutines even for an action that never waits, and items out of order.
   *
   * Sources. Promise T6; trap-22, trap-24; TrueAsync's concurrent iterator.
   */
  private final ScopeNode scope;
  private final Iterator<? extends T> source;
  private final ItemTest<T> action;
  private final int limit;
  private final SpawnTrace from; // site of the workers: the line of the iteration
  private final Idle idle;

  // loop only
  private int workers; // queued, running or waiting
  private @Nullable CoroutineNode<?> standby; // created, not queued
  private boolean posted;
  private @Nullable CoroutineNode<?> advancing; // the worker that is in the source
  private boolean over;
  private @Nullable Cancellation workerCancellation; // of one worker alone: its item is not done

  private ConcurrentIteration(
      ScopeNode scope,
      Iterator<? extends T> source,
      ItemTest<T> action,
      int limit,
      SpawnTrace from) {
    this.scope = scope;
    this.source = source;
    this.action = action;
    this.limit = limit;
    this.from = from;
    this.idle = new Idle();
  }

  /// Runs an iteration in a scope of its own; `body` is the action, which names the workers' site.
  public static <T extends @Nullable Object> void run(
      Iterable<? extends T> source,
      int limit,
      boolean cancelPending,
      Class<?> body,
      ItemTest<T> action) {
    CoroutineNode<?> caller = CoroutineNode.current();
    SpawnTrace from = caller.tree().spawned(body);
    Iterator<? extends T> items = source.iterator();
    try {
      ScopeNode.<@Nullable Void>block(
          s -> {
            ScopeNode scope = (ScopeNode) s;
            new ConcurrentIteration<T>(scope, items, action, limit, from).iterate(caller);
            if (cancelPending) {
              scope.cancelMembers(new Cancellation("the iteration that spawned it is over"));
            }
            return null;
          },
          false);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new CoroutineException(e);
    }
  }

  private void iterate(CoroutineNode<?> caller) {
    retain();
    try {
      scope.checkOpen(null);
      start(worker());
      while (workers > 0) {
        caller.awaitEvent(idle);
      }
    } finally {
      // workers that are still ending take no more items
      over = true;
      cancel();
      release();
    }
    if (workerCancellation != null) {
      throw workerCancellation;
    }
  }

  // ---- workers ----

  private CoroutineNode<?> worker() {
    Action work = this::work;
    return scope.prepare(work, from);
  }

  private void start(CoroutineNode<?> worker) {
    workers++;
    scope.admit(worker);
  }

  private void work() throws Exception {
    CoroutineNode<?> self = CoroutineNode.current();
    try {
      while (!over && advancing == null) {
        next(self);
      }
    } catch (Throwable e) {
      if (!over && e instanceof Cancellation c) {
        workerCancellation = c;
      }
      over = true;
      throw e;
    } finally {
      if (--workers == 0) {
        idle.fireIdle();
      }
    }
  }

  private void next(CoroutineNode<?> self) throws Exception {
    T item;
    advancing = self;
    try {
      if (!source.hasNext()) {
        over = true;
        return;
      }
      item = source.next();
    } finally {
      advancing = null;
    }
    if (over) {
      // stopped while it waited in the source
      return;
    }
    requestStandby();
    if (!action.test(item)) {
      stop();
    }
  }

  private void requestStandby() {
    if (posted || workers >= limit) {
      return;
    }
    if (standby == null) {
      standby = worker();
    }
    posted = true;
    scope.tree.scheduler().post(this);
  }

  /// Runs after the worker that posted it has suspended or ended: queues the next worker if needed.
  @Override
  protected void run() {
    posted = false;
    CoroutineNode<?> next = standby;
    if (next != null && !over && advancing == null && scope.isOpen()) {
      standby = null;
      start(next);
    }
  }

  private void stop() {
    over = true;
    if (advancing != null) {
      advancing.cancel("the iteration takes no more items");
    }
  }

  private final class Idle extends EventSource {
    Idle() {
      super(scope.tree.scheduler());
    }

    void fireIdle() {
      fire(null, null);
    }

    @Override
    public String info() {
      return "the " + workers + " workers of its iteration";
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      return scope.ownMembers();
    }
  }
}
