// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.internal.SpinLock;
import dev.heddle.process.ProcessCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The loop on which commands run as coroutines. It starts with the first command that needs it.
public sealed class CommandLoop permits SimulatedLoop {
  /*
   * The coroutine itself sends the reply, not a callback of its future: there an exception of the
   * body is still the object that it threw, which the future wraps. The future replies for a body
   * that never began because the loop has ended or is ending.
   *
   *   invocation  coroutine     what happens
   *   OPEN        not begun     it begins; from then on a cancellation of the invocation cancels it
   *   DROPPED     not begun     it ends without a call of the body
   *   DROPPED     running       a coroutine is submitted that cancels it on the loop; that does
   *                             nothing when it has ended
   *   OPEN        has a result  it replies; when a cancellation comes first, `unwanted` is called
   *   OPEN        loop ended    the future fails, and with it the invocation
   *
   * The coroutines that a handler spawns belong to a scope of its command: in the root scope their
   * failure would end the loop, and with it all commands. What still ends the loop (Heddle.exit in
   * a handler, lack of memory) fails the commands that it has; the next command starts another
   * loop. proc-213.
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

  /// Runs `body` as a coroutine; its outcome is the reply. Cancelled with the invocation.
  ///
  /// @param command the command, for dumps
  <R extends @Nullable Object> void onLoop(
      ProcessCommand<R> command, Body<R> body, PendingCommand<R> pending) {
    onLoop(command, body, pending, _ -> {});
  }

  /// Runs a handler's `body` as a coroutine in its own scope: the coroutines it spawns end before
  /// it, and their failures fail this command only.
  <R extends @Nullable Object> void inScope(
      ProcessCommand<R> command, Body<R> body, PendingCommand<R> pending) {
    onLoop(command, () -> scoped(body), pending);
  }

  private static <R extends @Nullable Object> R scoped(Body<R> body) throws Exception {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    try {
      return Heddle.scope(_ -> {
        try {
          return body.run();
        } catch (Throwable t) {
          thrown.set(t);
          throw t;
        }
      });
    } catch (CoroutineException wrapped) { // a scope wraps checked exceptions
      throw wrapped.getCause() instanceof Exception own && own == thrown.get() ? own : wrapped;
    }
  }

  /// Like [#onLoop(ProcessCommand, Body, PendingCommand)], for a result that `unwanted` must
  /// release when the process no longer wants it.
  <R extends @Nullable Object> void onLoop(
      ProcessCommand<R> command,
      Body<R> body,
      PendingCommand<R> pending,
      Consumer<? super R> unwanted) {
    Loop<?> on = loop();
    String name = pending.name(command);
    var begun =
        on.submit(
            name,
            () -> {
              Coroutine<?> self = Heddle.current();
              pending.onCancel(() -> cancel(on, self, name));
              if (pending.isOpen()) {
                answer(body, pending, unwanted);
              }
              return null;
            });
    var _ =
        begun.whenComplete((_, failure) -> {
          if (failure != null && pending.isOpen()) {
            pending.fail(unwrapped(failure));
          }
        });
  }

  private static <R extends @Nullable Object> void answer(
      Body<R> body, PendingCommand<R> pending, Consumer<? super R> unwanted) throws Exception {
    R result;
    try {
      result = body.run();
    } catch (Throwable t) {
      if (pending.isOpen()) {
        pending.fail(t);
      }
      throw t;
    }
    if (!pending.complete(result)) {
      unwanted.accept(result);
    }
  }

  private static void cancel(Loop<?> on, Coroutine<?> coroutine, String name) {
    var _ =
        on.submit(
            "cancel " + name,
            () -> {
              coroutine.cancel("the process no longer wants the result");
              return null;
            });
  }

  static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException e && e.getCause() != null
        ? e.getCause()
        : failure;
  }

  /// Runs `body` on a thread for blocking calls; otherwise like [#onLoop].
  <R extends @Nullable Object> void onThread(
      ProcessCommand<R> command, Body<R> body, PendingCommand<R> pending) {
    Callable<Outcome<R>> call =
        () -> {
          pending.waitsFor(null);
          return outcome(body);
        };
    onLoop(
        command,
        () -> {
          pending.waitsFor("a thread");
          return Heddle.offload(call).get();
        },
        pending);
  }

  /// The exception of a call, as the object that was thrown: the waiting thread gets a wrapped one.
  private record Outcome<R extends @Nullable Object>(
      @Nullable R result, @Nullable Exception thrown) {
    @SuppressWarnings("NullAway") // an R where nothing was thrown
    R get() throws Exception {
      if (thrown != null) {
        throw thrown;
      }
      return result;
    }
  }

  private static <R extends @Nullable Object> Outcome<R> outcome(Body<R> body) {
    try {
      return new Outcome<>(body.run(), null);
    } catch (Exception e) {
      return new Outcome<>(null, e);
    }
  }

  /// Runs an action on the loop.
  ///
  /// @param name for dumps
  /// @throws IllegalStateException when the runtime has shut down
  void submit(String name, Action action) {
    var _ =
        loop()
            .submit(
                name,
                () -> {
                  action.run();
                  return null;
                });
  }

  Loop<?> loop() {
    Loop<?> now = loop;
    if (now == null || now.isDone()) {
      now = closed ? null : startLoop(now);
    }
    if (now == null || closed) {
      throw refused();
    }
    return now;
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
