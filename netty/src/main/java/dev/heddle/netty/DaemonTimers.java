// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Timers of an event loop that resume no coroutine: those of Netty's resolver, which expire an
/// answer or free an identifier. A pending query is represented by its open channel instead.
///
/// They run like all others but do not count as future work: a loop that has nothing else is
/// deadlocked.
final class DaemonTimers extends AbstractScheduledEventExecutor {
  private static final String RESOLVER = "io.netty.resolver.dns.";

  private final EventExecutor loop;

  DaemonTimers(EventExecutor loop) {
    this.loop = loop;
  }

  static boolean takes(Runnable task) {
    return task.getClass().getName().startsWith(RESOLVER);
  }

  /// A timer that is due at `now`, by the clock of Netty's timers, or null.
  @Nullable Runnable pollDue(long now) {
    return pollScheduledTask(now);
  }

  /// The time until the next timer; negative if there is none.
  long nextNanos() {
    return nextScheduledTaskNano();
  }

  void drop() {
    cancelScheduledTasks();
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return loop.inEventLoop(thread);
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public boolean isShuttingDown() {
    return loop.isShuttingDown();
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    return loop.shutdownGracefully(quietPeriod, timeout, unit);
  }

  @Override
  @SuppressWarnings("deprecation") // overridden for callers of the old API
  public void shutdown() {
    loop.shutdown();
  }

  @Override
  public Future<?> terminationFuture() {
    return loop.terminationFuture();
  }

  @Override
  public boolean isShutdown() {
    return loop.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return loop.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return loop.awaitTermination(timeout, unit);
  }
}
