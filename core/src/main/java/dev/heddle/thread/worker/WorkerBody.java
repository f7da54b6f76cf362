// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Registration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What a worker thread does from its start to its end.
@FunctionalInterface
public interface WorkerBody {
  /// Runs calls until there are no more. Each call that it takes must end: [OffloadedCall#run()] or
  /// [OffloadedCall#refuse]. **Thread** the worker.
  void run(Calls calls);

  /// The queued calls of a group of worker threads. **Thread** the workers.
  interface Calls {
    /// Takes the next call; blocks the thread, or its coroutine, while there is none.
    ///
    /// @param mayEnd asked each time that none has come for long; true: the thread is to end
    /// @return null: the thread is to end
    @Nullable OffloadedCall next(BooleanSupplier mayEnd) throws InterruptedException;

    /// Whether the loop has ended, and no call is needed any more.
    boolean isClosed();

    /// Has the carrier run `action` when the loop ends: for a worker that an interrupt may not
    /// reach. If the loop has ended, the action runs here. It may run twice.
    Registration onClose(Runnable action);
  }
}
