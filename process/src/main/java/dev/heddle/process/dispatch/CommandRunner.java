// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.Body;
import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.process.ProcessCommand;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs commands as coroutines on a [CommandLoop].
final class CommandRunner {
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
   * failure would end the loop, and with it all commands.
   */
  private final CommandLoop loop;

  CommandRunner(CommandLoop loop) {
    this.loop = loop;
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
    Loop<?> on = loop.current();
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
          return loop.offload(call).get();
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
}
