// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Action;
import dev.heddle.scheduler.context.PlatformThreadState;
import org.jspecify.annotations.Nullable;

/// Runs one call after the other on the thread itself.
///
/// The thread is prepared when it has taken its first call. If that fails, the call fails with it,
/// and the thread ends: the next call gets another thread, which tries again.
public final class PlainWorker implements WorkerBody {
  private final Action initializer;

  /// A worker that prepares each of its threads.
  public PlainWorker(Action initializer) {
    this.initializer = initializer;
  }

  @Override
  public void run(Calls calls) {
    OffloadedCall first = next(calls);
    if (first == null || !isReady(first)) {
      return;
    }
    PlatformThreadState own = new PlatformThreadState(Thread.currentThread());
    for (OffloadedCall call = first; call != null; call = next(calls)) {
      call.run();
      own.restore(); // the next call must not see this one's interrupt, or what it left behind
    }
  }

  private boolean isReady(OffloadedCall first) {
    try {
      initializer.run();
      return true;
    } catch (Throwable e) {
      first.refuse(e);
      return false;
    }
  }

  private static @Nullable OffloadedCall next(Calls calls) {
    while (true) {
      try {
        return calls.next(() -> true);
      } catch (InterruptedException _) {
        // safe: Calls sees the end of the loop; any other interrupt came too late for its call
      }
    }
  }
}
