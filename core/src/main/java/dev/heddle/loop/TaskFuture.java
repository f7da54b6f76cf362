// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.VarHandles;
import dev.heddle.scheduler.inbox.Inbox;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The future of a task that a coroutine runs.
///
/// **Thread** any.
class TaskFuture<V extends @Nullable Object> extends FutureTask<V> {
  /*
   * cancel(true) cancels the coroutine instead of interrupting its thread: so a wait for Heddle
   * throws a Cancellation, and a wait in the JDK is interrupted.
   *
   * Memory order. The canceller: a CAS on the state of the future, then the volatile read of
   * `runner`. The coroutine: the write of `runner`, then the CAS by which FutureTask enters its
   * thread, a full fence, then the read of the state. Either the body does not begin, or the
   * canceller sees its coroutine. The request then arrives on the loop, and is dropped
   * if the coroutine has left run() meanwhile: it may run something else by then.
   */
  private static final VarHandle RUNNER =
      VarHandles.find(MethodHandles.lookup(), "runner", CoroutineNode.class);

  private final Class<?> site;
  private final @Nullable Consumer<? super TaskFuture<V>> whenDone;

  // the coroutine writes, any thread reads
  private volatile @Nullable CoroutineNode<?> runner;

  private @Nullable Throwable fatal; // written and read by the thread that runs it

  TaskFuture(Callable<V> callable) {
    this(callable, null);
  }

  /// A future that reports its end.
  ///
  /// @param whenDone called by the thread that completes it, perhaps the carrier
  TaskFuture(Callable<V> callable, @Nullable Consumer<? super TaskFuture<V>> whenDone) {
    super(callable);
    this.site = callable.getClass();
    this.whenDone = whenDone;
  }

  TaskFuture(Runnable runnable, V value) {
    super(runnable, value);
    this.site = runnable.getClass();
    this.whenDone = null;
  }

  Class<?> site() {
    return site;
  }

  @Override
  public void run() {
    RUNNER.setRelease(this, CoroutineNode.currentOrNull());
    try {
      super.run();
    } finally {
      RUNNER.setRelease(this, (CoroutineNode<?>) null);
    }
    throwFatal();
  }

  /// Runs a periodic task once.
  ///
  /// @return whether it may run again
  final boolean runOnce() {
    RUNNER.setRelease(this, CoroutineNode.currentOrNull());
    boolean again;
    try {
      again = runAndReset();
    } finally {
      RUNNER.setRelease(this, (CoroutineNode<?>) null);
    }
    throwFatal();
    return again;
  }

  private void throwFatal() {
    if (fatal != null) {
      throw Rethrow.unchecked(fatal); // the loop ends with it
    }
  }

  @Override
  protected void setException(Throwable thrown) {
    CoroutineNode<?> coroutine = runner;
    Throwable failure = thrown;
    if (thrown instanceof Cancellation && coroutine != null && coroutine.isCancelled()) {
      failure = Precedence.carriedBy(thrown);
    } else if (FailureTable.isFatal(thrown)) {
      fatal = thrown;
    }
    if (failure == null) {
      super.cancel(false);
    } else {
      super.setException(failure);
    }
  }

  /// Fails it because it will not run.
  final void refuse(Throwable why) {
    super.setException(why);
  }

  @Override
  protected void done() {
    if (whenDone != null) {
      whenDone.accept(this);
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(false);
    CoroutineNode<?> running = runner;
    if (cancelled && mayInterruptIfRunning && running != null) {
      var _ = running.scheduler().inbox().post(new CancelRequest(running)); // not after the end
    }
    return cancelled;
  }

  private final class CancelRequest extends Inbox.Node {
    private final CoroutineNode<?> coroutine;

    CancelRequest(CoroutineNode<?> coroutine) {
      this.coroutine = coroutine;
    }

    @Override
    public void onArrival() {
      if (runner == coroutine && !coroutine.scheduler().hasEnded()) {
        coroutine.cancel("the future of its task was cancelled");
      }
    }
  }
}
