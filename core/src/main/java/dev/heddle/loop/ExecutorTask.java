// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.heddle.Cancellation;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineNode.SubmittedWork;
import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Nanos;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.VarHandles;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.context.Inheritance;
import dev.heddle.scheduler.inbox.Inbox;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// A task of an executor, from its acceptance to its end: passes through the inbox, waits for its
/// time if it has one, and runs as a coroutine.
final class ExecutorTask extends Inbox.Node implements SubmittedWork, PendingWork, InlineCallback {
  /*
   * States.
   *   from   event                             to     who
   *   NEW    the coroutine begins              BEGUN  the coroutine: CAS
   *   NEW    taken back: by shutdownNow(), by  ENDED  any thread: CAS
   *          cancel() of a scheduled task, or
   *          since the loop takes no more
   *   NEW    the loop ends, or is stopping     ENDED  the loop: CAS; its future fails
   *          and the task has a future
   *   BEGUN  its work has ended                ENDED  the coroutine
   *   BEGUN  a periodic one has run            NEW    the coroutine; then it arms the next timer
   *   BEGUN  the loop ends without it          ENDED  the carrier; its future fails
   *
   * The thread that makes it ENDED removes it from the registry.
   *
   * A loop that is stopping cancels the tasks that it has. A task of submit() or schedule() that
   * has not begun by then fails. What execute() was given may complete something when it runs, such
   * as a CompletableFuture, and there is no other way to complete that. So it begins all the same,
   * cancelled: its first wait throws. Only a loop that ends before its turn prevents it: after an
   * OutOfMemoryError, or when the grace period is over. The loop then reports that.
   *
   * A periodic task that is cancelled while it runs: the canceller marks the future, and then tries
   * NEW -> ENDED. The coroutine makes it NEW, and then reads the future. One of the two takes it
   * back (both sides are volatile).
   *
   * While it waits for its time, its timer excludes a deadlock, since the task may wake a
   * coroutine; but it does not keep the loop alive. A periodic task always has a next time. So
   * while there is one, the loop reports no deadlock: a false report would end a program whose
   * periodic task was about to wake the coroutine that waits.
   *
   * Failure. What a task throws that has no future is reported, and harms no other task. A fatal
   * error ends the loop.
   */
  private static final int NEW = 0;
  private static final int BEGUN = 1;
  private static final int ENDED = 2;

  private static final VarHandle STATE =
      VarHandles.find(MethodHandles.lookup(), "state", int.class);

  private final TaskRegistry<ExecutorTask> registry;
  private final LoopRuntime loop;
  private final @Nullable String name;
  private final Runnable work;

  // any thread, CAS
  private volatile int state = NEW;

  // loop only
  private @Nullable CoroutineNode<?> coroutine;
  private @Nullable TimerEvent timer;

  /// A task that is not in the registry of its executor yet. It leaves that when it has ended, was
  /// taken back or refused.
  ExecutorTask(
      TaskRegistry<ExecutorTask> registry, LoopRuntime loop, @Nullable String name, Runnable work) {
    this.registry = registry;
    this.loop = loop;
    this.name = name;
    this.work = work;
  }

  // ---- any thread ----

  Runnable work() {
    return work;
  }

  boolean post() {
    return loop.scheduler().inbox().post(this);
  }

  LoopRuntime loop() {
    return loop;
  }

  /// Takes it back, unless it has begun.
  boolean takeBack() {
    boolean taken = STATE.compareAndSet(this, NEW, ENDED);
    if (taken) {
      registry.remove(this);
      if (work instanceof ScheduledTask<?>) {
        var _ = loop.scheduler().inbox().post(new TakenBack()); // after the end it has no timer
      }
    }
    return taken;
  }

  void cancelIfPeriodic() {
    if (work instanceof ScheduledTask<?> scheduled && scheduled.isPeriodic()) {
      scheduled.cancel(false);
    }
  }

  /// Requests that a running one be cancelled.
  void cancel() {
    var _ = loop.scheduler().inbox().post(new CancelRequest()); // not needed after the end
  }

  private final class TakenBack extends Inbox.Node {
    @Override
    public void onArrival() {
      leave();
    }
  }

  private final class CancelRequest extends Inbox.Node implements Runnable {
    @Override
    public void onArrival() {
      if (!loop.scheduler().hasEnded()) {
        loop.scheduler().runWithRoom(this);
      }
    }

    @Override
    public void run() {
      CoroutineNode<?> running = coroutine;
      if (running != null && state == BEGUN && !loop.scheduler().hasEnded()) {
        running.cancel("its executor was shut down by shutdownNow()");
      }
    }
  }

  // ---- the loop, in a tick or on the trampoline ----

  @Override
  public void onArrival() {
    if (loop.scheduler().hasEnded()) {
      refuse();
    } else if (state == NEW) {
      loop.pending().add(this);
      start();
    }
  }

  private void start() {
    if (work instanceof ScheduledTask<?> scheduled && scheduled.getDelay(NANOSECONDS) > 0) {
      armTimer(scheduled.due());
    } else {
      loop.scheduler().runOnCarrier(this::spawn);
    }
  }

  private void armTimer(long due) {
    if (due != Nanos.NEVER) {
      TimerEvent armed = loop.tree().timer(due);
      armed.subscribe(this);
      armed.start();
      timer = armed;
    }
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    stopTimer();
    loop.scheduler().runOnCarrier(this::spawn);
  }

  private void stopTimer() {
    if (timer != null) {
      timer.stop();
      timer = null;
    }
  }

  private void leave() {
    if (!loop.scheduler().hasEnded()) {
      stopTimer();
      loop.pending().remove(this);
    }
  }

  private void spawn() {
    if (loop.scheduler().hasEnded()) {
      return; // refused with all that is pending
    }
    if (state == ENDED) {
      leave();
      return;
    }
    try {
      CoroutineNode<?> created = loop.tree().root().newSubmitted(this);
      coroutine = created;
      loop.tree().root().admit(created);
      cancelIfStopping(created);
    } catch (Throwable e) {
      leave();
      var _ = fail(e); // whatever it was, it will not run
      throw e;
    }
  }

  // the loop has cancelled its other coroutines, and will not come back for this one
  private void cancelIfStopping(CoroutineNode<?> created) {
    if (loop.isPastDeadline()) {
      created.forceCancel();
    } else if (loop.isStopping()) {
      created.cancel("the loop is stopping");
    }
  }

  // ---- in the coroutine ----

  @Override
  public @Nullable String name() {
    return name;
  }

  @Override
  public Class<?> site() {
    return work instanceof TaskFuture<?> future ? future.site() : work.getClass();
  }

  /// A task without a future has no other way to report that it does not run.
  @Override
  public boolean mustBegin() {
    return !(work instanceof TaskFuture<?>);
  }

  @Override
  public void run() {
    boolean begun = STATE.compareAndSet(this, NEW, BEGUN);
    if (begun) {
      try {
        if (inherit()) {
          work.run();
        }
      } catch (Throwable e) {
        onFailure(e);
      }
    }
    if (loop.scheduler().hasEnded()) {
      return; // it was refused
    }
    coroutine = null;
    if (begun) {
      endOrRepeat();
    } else {
      leave(); // it was taken back: a periodic one does not repeat, either
    }
  }

  // calls childValue(), which is user code: its failure is the task's
  private boolean inherit() {
    try {
      Inheritance.adoptFrom(loop.scheduler().carrier());
      return true;
    } catch (Throwable e) {
      if (!(work instanceof TaskFuture<?> future)) {
        throw e;
      }
      future.setException(e);
      if (FailureTable.isFatal(e)) {
        throw e;
      }
      return false;
    }
  }

  private void onFailure(Throwable e) {
    if (FailureTable.isFatal(e)) {
      throw Rethrow.unchecked(e); // the loop ends with it, and refuses this task
    }
    CoroutineNode<?> self = CoroutineNode.currentOrNull();
    boolean cancelled = e instanceof Cancellation && self != null && self.isCancelled();
    Throwable failure = cancelled ? Precedence.carriedBy(e) : e;
    if (failure != null) {
      loop.report("a task of an executor of " + loop.describe() + " failed", failure);
    }
  }

  private void endOrRepeat() {
    if (work instanceof ScheduledTask<?> periodic && periodic.isPeriodic() && !periodic.isDone()) {
      state = NEW;
      if (!registry.isOpen() && takeBack()) { // else shutdownNow() hands it back as it is
        periodic.cancel(false);
      }
      if (!periodic.isDone()) {
        start();
        return;
      }
      var _ = takeBack(); // no effect if the canceller has
    }
    leave();
    if ((int) STATE.getAndSet(this, ENDED) != ENDED) {
      registry.remove(this);
    }
  }

  // ---- it will not run ----

  // the loop is stopping: its root scope is cancelled for no other reason
  @Override
  public void cancelledBeforeStart() {
    leave();
    refuse();
  }

  @Override
  public void refuse() {
    int before = fail(new LoopEndedException(loop.describe() + " has ended before the task"));
    if (before == NEW && mustBegin()) {
      loop.taskNeverBegan(site());
    }
  }

  /// Returns the state that it was in.
  private int fail(Throwable why) {
    int before = (int) STATE.getAndSet(this, ENDED);
    if (before == ENDED) {
      return before;
    }
    if (work instanceof TaskFuture<?> future) {
      future.refuse(why);
    } else if (work instanceof Future<?> future) {
      cancelForeign(future);
    }
    registry.remove(this);
    return before;
  }

  // a subclass of FutureTask may run code of its user
  private void cancelForeign(Future<?> future) {
    try {
      future.cancel(false);
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      loop.report("the future of a task of " + loop.describe() + " failed as it was cancelled", e);
    }
  }
}
