// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/// A message that comes between a worker's last search and its sleep, while the monitor, which
/// would find it a millisecond later, does not check. Runs in a [ShortageLoader] of the calls
/// `park` and `check`.
public final class ShortageOfLooks implements Callable<Boolean> {
  private final CountDownLatch isStill = new CountDownLatch(1); // the monitor
  private final CountDownLatch mayCheck = new CountDownLatch(1);
  private final AtomicBoolean isSent = new AtomicBoolean();
  private final CompletableFuture<Object> seen = new CompletableFuture<>();
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();
  private final Pid receiver =
      runtime.spawn((events, _) -> {
        for (ProcessEvent event : events) {
          if ("late".equals(event.data())) {
            seen.complete(event.data());
          }
        }
      });

  /// With a runtime of its own.
  public ShortageOfLooks() {}

  /// Returns whether it was received.
  @Override
  public Boolean call() throws Exception {
    try {
      Shortage.replaceBy(this::atACall);
      while (isStill.getCount() > 0) {
        runtime.offer(receiver, "wakes the monitor, too");
      }
      runtime.offer(receiver, "wakes the worker, which goes to sleep behind it");
      return "late".equals(Kit.get(seen));
    } finally {
      mayCheck.countDown();
      Shortage.replaceBy(null);
      runtime.close();
    }
  }

  private void atACall() {
    try {
      if (Thread.currentThread().getName().startsWith("heddle-monitor")) {
        isStill.countDown();
        mayCheck.await();
      } else if (isStill.getCount() == 0 && isSent.compareAndSet(false, true)) {
        Thread.ofPlatform().start(() -> runtime.send(receiver, "late")).join();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
