// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.internal.Nanos;
import dev.heddle.scheduler.Scheduler;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The future of a task that runs at a time, once or periodically.
///
/// **Thread** any.
final class ScheduledTask<V extends @Nullable Object> extends TaskFuture<V>
    implements RunnableScheduledFuture<V> {
  private final Scheduler clock;
  private final long period; // > 0: fixed rate, < 0: fixed delay, 0: once; nanoseconds

  // written before it is published
  private @Nullable ExecutorTask task;

  // the loop writes, any thread reads
  private volatile long due;

  ScheduledTask(Scheduler clock, long due, Callable<V> callable) {
    super(callable);
    this.clock = clock;
    this.due = due;
    this.period = 0;
  }

  ScheduledTask(Scheduler clock, long due, long period, Runnable runnable, V value) {
    super(runnable, value);
    this.clock = clock;
    this.due = due;
    this.period = period;
  }

  void setTask(ExecutorTask owner) {
    task = owner;
  }

  /// When it is to run next, on the scale of the loop's clock.
  long due() {
    return due;
  }

  @Override
  public boolean isPeriodic() {
    return period != 0;
  }

  @Override
  public void run() {
    if (!isPeriodic()) {
      super.run();
    } else if (runOnce()) {
      long from = period > 0 ? due : clock.nanoTime();
      due = Nanos.after(from, Duration.ofNanos(Math.abs(period)));
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    ExecutorTask waiting = task;
    if (cancelled && waiting != null) {
      var _ = waiting.takeBack(); // no effect while it runs
    }
    return cancelled;
  }

  @Override
  public long getDelay(TimeUnit unit) {
    return unit.convert(due - clock.nanoTime(), TimeUnit.NANOSECONDS);
  }

  @Override
  public int compareTo(Delayed other) {
    if (other instanceof ScheduledTask<?> task && task.clock == clock) {
      return Long.compare(due - task.due, 0); // without a clock that goes on in between
    }
    return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
  }
}
