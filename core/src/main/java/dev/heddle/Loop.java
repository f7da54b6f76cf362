// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.internal.Rethrow;
import dev.heddle.loop.LoopExecutor;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopShutdown;
import dev.heddle.loop.MainHandlers;
import dev.heddle.observe.Dump;
import dev.heddle.observe.LoopMXBean;
import dev.heddle.observe.spi.DumpParts;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/// The handle of a loop, for other threads.
///
/// **Thread** any.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=loop}
///
/// @param <T> what its main coroutine returns
/// @since 0.1
public final class Loop<T extends @Nullable Object> implements AutoCloseable {
  private final CompletableFuture<LoopRuntime> root;
  private final CompletableFuture<T> result; // may be the loop's own: only copies leave

  private Loop(CompletableFuture<LoopRuntime> root, CompletableFuture<T> result) {
    this.root = root;
    this.result = result;
  }

  /// Starts a loop with default options. Else as [#start(HeddleOptions, Body)].
  public static <T extends @Nullable Object> Loop<T> start(Body<T> main) {
    return start(HeddleOptions.defaults(), main);
  }

  /// Starts a loop on a new non-daemon thread and returns at once. `main` runs as in
  /// [Heddle#run(HeddleOptions, Body)].
  public static <T extends @Nullable Object> Loop<T> start(HeddleOptions options, Body<T> main) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(main, "main");
    Loop<T> loop = new Loop<>(new CompletableFuture<>(), new CompletableFuture<>());
    List<SwitchHandler> forMain = MainHandlers.claim();
    Thread.ofPlatform()
        .name(options.name())
        .daemon(false)
        .stackSize(options.stackSize())
        .start(() -> loop.run(options, main, forMain));
    return loop;
  }

  private void run(HeddleOptions options, Body<T> main, List<SwitchHandler> forMain) {
    try {
      result.complete(LoopRuntime.run(options, main, forMain, root::complete));
    } catch (Throwable e) {
      root.completeExceptionally(e);
      result.completeExceptionally(e);
    }
  }

  /// The loop of the current coroutine, however it was started: for a thread that stops it or waits
  /// for its end. **Cost** a small object, which the loop does not keep.
  ///
  /// @throws IllegalStateException outside a coroutine
  public static Loop<?> current() {
    LoopRuntime root = LoopRuntime.current();
    return new Loop<@Nullable Object>(CompletableFuture.completedFuture(root), root.outcome());
  }

  /// Waits until the loop has ended; inside a coroutine of another loop this suspends only the
  /// coroutine.
  ///
  /// @return what its main coroutine returned
  /// @throws IllegalStateException in a coroutine of this loop, which would wait forever
  /// @throws RuntimeException the exception that [Heddle#run(HeddleOptions, Body)] would have
  ///   thrown, the same object; likewise an [Error]
  public T join() {
    refuseItsOwnCoroutines();
    try {
      return result.join();
    } catch (CompletionException e) {
      // the loop may have thrown a CompletionException itself, which must not be unwrapped
      Throwable thrown = result.handle((_, failure) -> failure).join();
      throw Rethrow.unchecked(thrown == null ? e : thrown);
    }
  }

  private void refuseItsOwnCoroutines() {
    LoopRuntime own = root.isCompletedExceptionally() ? null : root.getNow(null);
    if (own != null && own.scheduler().isOnLoop()) {
      throw new IllegalStateException(
          "a coroutine would wait for the end of its own loop; wait from another thread");
    }
  }

  /// Runs a loop for a thread that cannot be its carrier. An interrupt of the thread stops the
  /// loop, also while it starts; the flag is set again at the end. An interrupt from before the
  /// call does not stop the loop. **Thread** any but a coroutine's.
  static <T extends @Nullable Object> T run(HeddleOptions options, Body<T> main) {
    boolean interrupted = Thread.interrupted(); // before the loop starts: its main may interrupt
    try {
      Loop<T> loop = start(options, main);
      while (true) {
        try {
          loop.result.get();
          break;
        } catch (InterruptedException _) {
          interrupted = true;
          var _ = loop.root.thenAccept(r -> r.shutdown().requestByInterrupt());
        } catch (ExecutionException _) {
          break; // join() throws it
        }
      }
      return loop.join();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// The result as a future; cancelling it, or completing it, does nothing to the loop. **Thread**
  /// any.
  public CompletableFuture<T> result() {
    return result.copy();
  }

  /// Runs `body` as a coroutine of the loop's root scope, once its main coroutine has begun. It
  /// inherits from the thread that called `run`. A throwable of `body` only fails the future; an
  /// `OutOfMemoryError` also ends the loop. The future is completed in any case; completing it does
  /// not affect the coroutine. A coroutine of another loop waits for it with
  /// [Heddle#await(java.util.concurrent.CompletionStage)]. **Thread** any.
  ///
  /// @return fails with a [LoopEndedException] when the loop has ended
  public <R extends @Nullable Object> CompletableFuture<R> submit(Body<R> body) {
    return submit("submitted", body);
  }

  /// Runs a named coroutine. Else as [#submit(Body)].
  ///
  /// @param name for dumps and reports
  public <R extends @Nullable Object> CompletableFuture<R> submit(String name, Body<R> body) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(body, "body");
    return root.thenCompose(r -> r.submit(name, body));
  }

  /// A new executor whose tasks are coroutines of the loop's root scope: for code that takes an
  /// executor.
  ///
  /// {@snippet class=dev.heddle.snippets.ExecutorSnippetsTest region=executor}
  ///
  /// A task may wait as any coroutine does, for Heddle or in the JDK, and others run meanwhile. It
  /// begins in the order of submission, and inherits from the thread of the loop. `get()` suspends
  /// a coroutine, and blocks any other thread.
  ///
  /// - **Cancelled** `cancel(true)` and `shutdownNow()` cancel the coroutine: its wait for Heddle
  ///   throws a [Cancellation], and its wait in the JDK is interrupted. A task that computes sees
  ///   it by [Heddle#checkCancelled()]; its thread's interrupt flag is not set.
  /// - **Failure** of a task fails its future. What a task of `execute` throws is logged. Neither
  ///   affects other tasks or the loop, except an `OutOfMemoryError`, which ends the loop.
  /// - **Time** is the loop's. A task that waits for its time does not keep the loop alive. As long
  ///   as a task waits for its time, the loop reports no deadlock, because the task may wake a
  ///   coroutine; so with a periodic task it reports none at all.
  /// - **Shutdown**: each call returns an executor of its own, and its shutdown affects neither the
  ///   loop nor other executors. As in a [java.util.concurrent.ScheduledThreadPoolExecutor],
  ///   `shutdown()` lets tasks run that are queued or wait for their time, and cancels the futures
  ///   of periodic tasks; a run that has begun goes on to its end. `shutdownNow()` cancels the
  ///   tasks that run. It returns all others, periodic ones too: they never run, nor run again, and
  ///   their futures are left as they are.
  /// - **The end of the loop**: when the loop stops, further tasks are rejected. Tasks that run are
  ///   cancelled, as all coroutines are. Tasks of `submit` that have not begun, and tasks that wait
  ///   for their time, once or periodically, fail with a [LoopEndedException]. Tasks of `execute`
  ///   that have not begun still run, in a cancelled coroutine: their first wait throws a
  ///   [Cancellation]. So a `CompletableFuture` that depends on one completes. If the loop ends
  ///   before their turn (after an `OutOfMemoryError`, or when the grace period is over), the loop
  ///   reports how many never began, and what depends on them never completes. After the end the
  ///   executor is terminated, and the futures of tasks that were abandoned have failed with a
  ///   [LoopEndedException].
  ///
  /// *Memory consistency*: as the JDK's executors guarantee it. What a thread did before it
  /// submitted a task is visible to the task, and what the task did to the thread that gets its
  /// result.
  ///
  /// **Thread** any. Blocks, or suspends, until the loop has begun.
  ///
  /// @since 0.1
  public ScheduledExecutorService executor() {
    LoopRuntime r = runtime();
    return new LoopExecutor(List.of(r), r.outcome(), null);
  }

  /// A new executor whose tasks have names: `name-1`, `name-2` and so on, in dumps and reports.
  /// Otherwise as [#executor()].
  ///
  /// @since 0.1
  public ScheduledExecutorService executor(String name) {
    Objects.requireNonNull(name, "name");
    LoopRuntime r = runtime();
    return new LoopExecutor(List.of(r), r.outcome(), name);
  }

  /// The loop itself, once it has begun; throws the failure of one that could not begin.
  LoopRuntime runtime() {
    try {
      return root.join();
    } catch (CompletionException e) {
      throw Rethrow.unchecked(e.getCause() == null ? e : e.getCause());
    }
  }

  /// Requests a graceful shutdown, also before the main coroutine has begun, and returns at once.
  /// Does nothing if the loop has ended. **Thread** any.
  ///
  /// @param deadline from now; coroutines that then still run are named in the log and abandoned;
  ///   zero: at once
  /// @throws IllegalArgumentException when the deadline is negative
  public void shutdown(Duration deadline) {
    LoopShutdown.checkDeadline(deadline);
    var _ = root.thenAccept(r -> r.shutdown().request("shutdown was called", null, deadline));
  }

  /// Requests a graceful shutdown with the shutdown deadline of the loop's options, and waits until
  /// the loop has ended; inside a coroutine of another loop this suspends only the coroutine. It
  /// does not throw the outcome of the main coroutine: [#join()] and [#result()] do.
  ///
  /// @throws IllegalStateException in a coroutine of this loop, which would wait forever
  @Override
  public void close() {
    refuseItsOwnCoroutines();
    var _ =
        root.thenAccept(
            r -> r.shutdown().request("the loop was closed", null, r.options().shutdownDeadline()));
    var _ = result.handle((_, _) -> true).join();
  }

  /// Lists every coroutine of the loop with its state, what it waits for, since when, and its
  /// stack; also the process runtimes of this JVM. Waits until the loop replies; inside a coroutine
  /// of another loop this suspends only the coroutine.
  ///
  /// @throws LoopEndedException when the loop has ended
  public Dump dump() {
    try {
      LoopRuntime r = root.join();
      Dump dump = r.isCurrent() ? r.dump() : r.askForDump().join();
      return DumpParts.addedTo(dump);
    } catch (CompletionException e) {
      throw Rethrow.unchecked(e.getCause() == null ? e : e.getCause());
    }
  }

  /// The loop as management tools see it, without a server of MBeans. Its getters read what the
  /// loop has counted, and may lag slightly; they never wait for the loop, even while a coroutine
  /// holds it. After the end they return the last values. Blocks, or suspends, until the loop has
  /// begun.
  ///
  /// {@snippet class=dev.heddle.snippets.BeanSnippetsTest region=mxBean}
  ///
  /// @since 0.1
  public LoopMXBean mxBean() {
    return runtime().diagnostics().bean();
  }

  /// Whether it has ended. **Thread** any.
  public boolean isDone() {
    return result.isDone();
  }
}
