// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Future;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.thread.worker.OffloadedCall;
import dev.heddle.thread.worker.WorkerThreads;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Separate threads for single calls, which run long or need a thread that no other code has used.
/// For many short calls there is [ThreadPool].
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=threads}
///
/// @since 0.1
public final class Threads {
  private Threads() {}

  /// Starts a platform thread that makes one call and then ends.
  ///
  /// The call runs outside the loop: it must not use data that coroutines share. **Cancelled**
  /// through its future, or when the last coroutine that awaits the future is cancelled, the thread
  /// is interrupted and its outcome dropped. A thread whose future no coroutine awaits continues,
  /// and does not keep the loop alive: when the loop has ended, the thread is interrupted.
  ///
  /// @param name of the thread, before a number, and for dumps
  /// @return the outcome of the call: what it returns, or throws
  /// @throws IllegalStateException outside a coroutine
  public static <T extends @Nullable Object> Future<T> start(String name, Callable<T> call) {
    LoopRuntime loop = LoopRuntime.current();
    Scheduler scheduler = loop.scheduler();
    WorkerThreads thread = loop.blockingPools().open(name, 1, () -> {});
    OffloadedCall offloadedCall = new OffloadedCall(scheduler, "the thread '" + name + "'", call);
    Awaitable<T> end = offloadedCall::done;
    // an interrupt takes a JDK lock, so it is left to the trampoline
    Future<T> future =
        Future.ofWork(
            name, end, c -> scheduler.runOnCarrier(() -> thread.cancel(offloadedCall, c)));
    thread.submit(offloadedCall);
    thread.finish();
    return future;
  }
}
