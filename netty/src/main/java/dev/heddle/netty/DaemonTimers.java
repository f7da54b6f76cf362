// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Timers of an event loop that resume no coroutine: those of Netty's resolver, which forget an
/// answer or free an identifier. While a query is out, its channel says so.
///
/// They are run as all others, and are not counted as work that is to come: a loop that has nothing
/// else is deadlocked.
final class DaemonTimers extends AbstractScheduledEventExecutor {
  private static final String RESOLVER = "io.netty.resolver.dns.";

  private final EventExecutor loop;

  DaemonTimers(EventExecutor loop) {
    this.loop = loop;
  }

  /// Whether a timer belongs here.
  static boolean takes(Runnable task) {
    return task.getClass().getName().startsWith(RESOLVER);
  }

  /// One that is due at `now`, by the clock of Netty's timers; null: none is.
  @Nullable Runnable pollDue(long now) {
    return pollScheduledTask(now);
  }

  /// When the next one is due, from now; below zero: there is none.
  long nextNanos() {
    return nextScheduledTaskNano();
  }

  /// Forgets them all.
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
  @SuppressWarnings("deprecation") // as old programs call it
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
