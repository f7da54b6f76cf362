// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The loop on which commands are carried out as coroutines. It starts with the first that needs
/// it.
public final class LoopPort {
  private final HeddleOptions options;
  private final ReentrantLock lock = new ReentrantLock();
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

  // under the lock
  private @Nullable Loop<?> loop;
  private boolean closed;

  /// A loop that is started with `options` when it is needed.
  public LoopPort(HeddleOptions options) {
    this.options = options;
  }

  /// Runs `body` as a coroutine; its outcome is the answer. Cancelled with the invocation.
  <R extends @Nullable Object> void onLoop(Body<R> body, Invocation<R> invocation) {
    Loop<?> on = loop();
    CompletableFuture<R> outcome =
        on.submit(() -> {
          Coroutine<?> self = Heddle.current();
          invocation.onCancel(() -> on.submit(() -> cancel(self)));
          return body.run();
        });
    var _ =
        outcome.whenComplete((result, failure) -> {
          if (failure == null) {
            invocation.complete(result);
          } else {
            invocation.fail(failure);
          }
        });
  }

  private static @Nullable Void cancel(Coroutine<?> coroutine) {
    coroutine.cancel("nobody wants the result any more");
    return null;
  }

  /// Runs `body` on a thread for blocking calls; else as [#onLoop].
  <R extends @Nullable Object> void onThread(Body<R> body, Invocation<R> invocation) {
    onLoop(() -> Heddle.offload(body::run), invocation);
  }

  /// Runs an action on the loop after a time, or with the reason why that time will not come.
  ///
  /// @return takes it back; does nothing when the action has begun
  /// @throws IllegalStateException when the runtime has shut down
  public Runnable after(Duration delay, Consumer<@Nullable Throwable> action) {
    Loop<?> on = loop();
    Alarm alarm = new Alarm();
    var fired =
        on.submit(() -> {
          if (!alarm.takenBack) {
            alarm.coroutine = Heddle.current();
            Heddle.delay(delay);
            alarm.coroutine = null;
            action.accept(null);
          }
          return null;
        });
    var _ =
        fired.whenComplete((_, failure) -> {
          if (failure != null && !alarm.takenBack) {
            action.accept(failure);
          }
        });
    return () -> {
      alarm.takenBack = true;
      var _ =
          on.submit(() -> {
            Coroutine<?> waiting = alarm.coroutine;
            return waiting == null ? null : cancel(waiting);
          });
    };
  }

  private static final class Alarm {
    // any thread
    volatile boolean takenBack;

    // the loop
    @Nullable Coroutine<?> coroutine;
  }

  private Loop<?> loop() {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException(
            "the runtime has shut down; its loop takes no more commands");
      }
      if (loop == null) {
        loop =
            Loop.start(
                options,
                () -> {
                  Heddle.await(end);
                  return null;
                });
      }
      return loop;
    } finally {
      lock.unlock();
    }
  }

  /// Ends the loop: what still runs on it is cancelled. Waits for it, but not beyond the deadline.
  ///
  /// @return whether it has ended
  public boolean close(Duration deadline) throws InterruptedException {
    Loop<?> last;
    lock.lock();
    try {
      closed = true;
      last = loop;
    } finally {
      lock.unlock();
    }
    if (last == null) {
      return true;
    }
    last.shutdown(deadline);
    try {
      var _ = last.result().get(deadline.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException | CancellationException _) {
      return true; // it has ended, however
    } catch (TimeoutException _) {
      return false;
    }
  }
}
