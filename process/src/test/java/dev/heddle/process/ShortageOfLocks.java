// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/// A body that sends to a mailbox whose lock another thread holds. Runs in a loader of
/// [ShortageLoader#ofLanes].
public final class ShortageOfLocks implements Callable<Thread.State> {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();
  private final Pid receiver =
      runtime.spawn(
          Kit.resting(), StartOptions.defaults().withMailbox(8, MailboxPolicy.DROP_OLDEST));
  private final CountDownLatch isHeld = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final CompletableFuture<Thread> body = new CompletableFuture<>();
  private final Thread holder =
      Thread.ofPlatform()
          .name("outside-worker-threads")
          .unstarted(() -> runtime.send(receiver, "held"));

  /// With a runtime of its own.
  public ShortageOfLocks() {}

  /// Returns the state of the body's thread as it waits for the lock.
  @Override
  public Thread.State call() throws Exception {
    try {
      Shortage.replaceBy(this::underTheLock);
      holder.start();
      isHeld.await();
      Pid sender =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                body.complete(Thread.currentThread());
                self.context().send(receiver, "waits");
                return null;
              }));
      Thread waiting = Kit.get(body);
      Thread.State state = waiting.getState();
      while (state != Thread.State.WAITING && !spins(waiting)) {
        state = waiting.getState();
      }
      release.countDown();
      holder.join();
      return Kit.exit(runtime, sender).reason() == Exit.Reason.NORMAL ? state : null;
    } finally {
      release.countDown();
      Shortage.replaceBy(null);
      runtime.close();
    }
  }

  private static boolean spins(Thread waiting) {
    return Stream.of(waiting.getStackTrace())
        .anyMatch(frame -> frame.getClassName().endsWith(".SpinLock"));
  }

  private void underTheLock() {
    if (Thread.currentThread() != holder) {
      return;
    }
    isHeld.countDown();
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
