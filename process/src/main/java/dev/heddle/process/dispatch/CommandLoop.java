// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.internal.SpinLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The loop on which commands run as coroutines. It starts with the first command that needs it.
public sealed class CommandLoop permits SimulatedLoop {
  /*
   * A loop ends by the program (Heddle.exit in a handler) or by lack of memory: that fails the
   * commands that it has, and the next command starts another loop. proc-213.
   *
   * The loop queues submitted commands without a limit of its own: the number of processes limits
   * them, since each process waits for its results.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.process");
  private static final Duration UNUSED_LOOP_DEADLINE =
      Duration.ofSeconds(1); // to end a loop that has no commands

  private final HeddleOptions options;
  private final SpinLock lock = new SpinLock();

  // under the lock; read without
  private volatile @Nullable Loop<?> loop;
  private volatile boolean closed;

  // under the lock
  private final List<Runnable> atClose = new ArrayList<>();

  public CommandLoop(HeddleOptions options) {
    this.options = options;
  }

  /// Runs an action on the loop.
  ///
  /// @param name for dumps
  /// @throws IllegalStateException when the runtime has shut down
  void submit(String name, Action action) {
    var _ =
        current()
            .submit(
                name,
                () -> {
                  action.run();
                  return null;
                });
  }

  /// The loop, which this starts where none runs.
  ///
  /// @throws IllegalStateException when the runtime has shut down
  Loop<?> current() {
    Loop<?> now = loop;
    if (now == null || now.isDone()) {
      now = closed ? null : startLoop(now);
    }
    if (now == null || closed) {
      throw refused();
    }
    return now;
  }

  /// Runs a blocking call for a coroutine of the loop, which waits for it.
  <R extends @Nullable Object> R offload(Callable<R> call) throws Exception {
    return Heddle.offload(call);
  }

  final boolean isClosed() {
    return closed;
  }

  static IllegalStateException refused() {
    return new IllegalStateException("the runtime has shut down; its loop takes no more commands");
  }

  /// Starts a loop outside of the lock, since that takes time; the loop ends at once when another
  /// thread has started one.
  private @Nullable Loop<?> startLoop(@Nullable Loop<?> before) {
    Loop<?> made = Loop.<@Nullable Void>start(options, CommandLoop::keepAlive);
    Loop<?> now;
    lock.lock();
    try {
      if (loop == before && !closed) {
        loop = made;
      }
      now = loop;
    } finally {
      lock.unlock();
    }
    if (now != made) {
      made.shutdown(UNUSED_LOOP_DEADLINE);
    } else if (before != null) {
      LOG.log(
          System.Logger.Level.WARNING,
          "a command has ended the loop of the commands; another one is started");
    }
    return now;
  }

  private static @Nullable Void keepAlive() {
    Heddle.await(new CompletableFuture<@Nullable Void>());
    return null;
  }

  /// Adds an action to run when the loop ends.
  ///
  /// @return false when it has ended
  boolean atClose(Runnable action) {
    lock.lock();
    try {
      return !closed && atClose.add(action);
    } finally {
      lock.unlock();
    }
  }

  /// Refuses all further commands, and ends what was opened on the loop.
  ///
  /// @return the loop, if it was started
  final @Nullable Loop<?> refuseCommands() {
    Loop<?> last;
    lock.lock();
    try {
      closed = true;
      last = loop;
    } finally {
      lock.unlock();
    }
    atClose.forEach(Runnable::run); // safe: nothing is added any more
    return last;
  }

  /// Ends the loop, cancelling what still runs on it. Waits for it until the deadline.
  ///
  /// @return whether it has ended
  public boolean close(Duration deadline) throws InterruptedException {
    Loop<?> last = refuseCommands();
    if (last == null) {
      return true;
    }
    last.shutdown(deadline);
    try {
      var _ = last.result().get(deadline.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException | CancellationException _) {
      return true; // it has ended, by a failure
    } catch (TimeoutException _) {
      return false;
    }
  }
}
