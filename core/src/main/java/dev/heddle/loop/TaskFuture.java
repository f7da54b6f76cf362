// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The future of a task that a coroutine runs.
///
/// `cancel(true)` cancels the coroutine instead of interrupting its thread: so a wait for Heddle
/// throws a Cancellation, and a wait in the JDK is interrupted.
///
/// **Thread** any.
class TaskFuture<V extends @Nullable Object> extends RunnerFuture<V, CoroutineNode<?>> {
  private final Class<?> site;
  private final @Nullable Consumer<? super TaskFuture<V>> whenDone;

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
    runAs(CoroutineNode.currentOrNull());
    throwFatal();
  }

  /// Runs a periodic task once.
  ///
  /// @return whether it may run again
  final boolean runOnce() {
    boolean again = runAndResetAs(CoroutineNode.currentOrNull());
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
    CoroutineNode<?> coroutine = CoroutineNode.currentOrNull();
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
  final void interrupt(CoroutineNode<?> running) {
    var _ = running.scheduler().inbox().post(new CancelRequest(running)); // not after the end
  }

  private final class CancelRequest extends Inbox.Node implements Runnable {
    private final CoroutineNode<?> running;

    CancelRequest(CoroutineNode<?> running) {
      this.running = running;
    }

    @Override
    public void onArrival() {
      Scheduler scheduler = running.scheduler();
      if (!scheduler.hasEnded()) {
        scheduler.runWithRoom(this);
      }
    }

    @Override
    public void run() {
      // else the coroutine has left the task, and may run something else
      if (isRunBy(running) && !running.scheduler().hasEnded()) {
        running.cancel("the future of its task was cancelled");
      }
    }
  }
}
