// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.reactor.RemoteEvent;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.Waker.Role;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs blocking calls for the coroutines of one loop on platform threads, made when needed and
/// gone when idle.
public final class OffloadPool {
  private static final int THREADS =
      64; // blocking calls wait for devices and peers, not for processors
  private static final long IDLE_SECONDS = 10;

  private final Scheduler scheduler;
  private final ThreadFactory factory;

  // loop only
  private @Nullable ThreadPoolExecutor executor;

  /// A pool without threads.
  public OffloadPool(Scheduler scheduler, String loopName) {
    this.scheduler = scheduler;
    // made from inside a coroutine, they must not inherit what is bound to it
    this.factory =
        Thread.ofPlatform()
            .daemon()
            .inheritInheritableThreadLocals(false)
            .name(loopName + "-offload-", 1)
            .factory();
  }

  /// Runs `call` on a thread of the pool while the current coroutine waits. When the wait ends
  /// early, the call is interrupted and its outcome dropped.
  public @Nullable Object run(Waker self, Callable<?> call) {
    RemoteEvent done =
        new RemoteEvent(scheduler, scheduler.inbox(), "an offloaded " + call.getClass().getName());
    Future<?> running = executor().submit(() -> complete(done, call));
    boolean finished = false;
    try {
      self.renew();
      self.resumeWhen(done, Role.RESOLVE);
      Object result = scheduler.suspend(self);
      finished = true;
      return result;
    } finally {
      if (!finished) {
        running.cancel(true);
      }
    }
  }

  private static void complete(RemoteEvent done, Callable<?> call) {
    try {
      done.complete(call.call(), null);
    } catch (Throwable e) {
      done.complete(null, e);
    }
  }

  private ThreadPoolExecutor executor() {
    ThreadPoolExecutor e = executor;
    if (e == null) {
      e =
          new ThreadPoolExecutor(
              THREADS,
              THREADS,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              factory);
      e.allowCoreThreadTimeOut(true);
      executor = e;
    }
    return e;
  }

  /// Interrupts what runs and ends the threads.
  public void close() {
    if (executor != null) {
      executor.shutdownNow();
    }
  }
}
