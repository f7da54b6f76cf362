// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.ForEach;
import dev.heddle.coroutine.ItemAction;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.ScopeBody;
import dev.heddle.coroutine.ScopeProvider;
import dev.heddle.coroutine.SpawnStrategy;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Completable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventStream;
import dev.heddle.event.Promise;
import dev.heddle.event.Trigger;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.MainHandlers;
import dev.heddle.observe.Dump;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.spi.DumpParts;
import dev.heddle.reactor.CompletionStageWait;
import dev.heddle.reactor.PeriodicTimer;
import dev.heddle.reactor.TriggerEvent;
import dev.heddle.scheduler.Scheduler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Coroutines on one thread, in plain blocking code.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=heddle}
///
/// Inside a coroutine existing blocking code (`Thread.sleep`, sockets, locks, queues) suspends the
/// coroutine, not the loop. Coroutines of one loop never run at the same time: code between two
/// suspension points is atomic.
///
/// **Thread** [#run] from any thread; everything else inside a coroutine, and fails elsewhere,
/// naming `Heddle.run`.
///
/// @since 0.1
public final class Heddle {
  private Heddle() {}

  // ---- starting ----

  /// Runs `main` as the main coroutine of a new loop on the current thread, and returns its result
  /// once everything spawned in the loop has ended. On a virtual thread the loop gets a platform
  /// thread of its own. On a worker of a [java.util.concurrent.ForkJoinPool] a loop that sleeps
  /// tells the pool, which lets another worker run in place of this one, as far as its limits
  /// allow.
  ///
  /// An interrupt of the calling thread stops the loop as [#shutdown(Duration)] does, with the
  /// options' shutdown deadline; the thread is interrupted again when the loop has ended. A
  /// platform thread notices one only while the loop sleeps: the JDK clears its flag whenever a
  /// coroutine runs on it, and an interrupt of that moment is lost. [Loop#shutdown(Duration)] is
  /// not, nor is an interrupt of a virtual thread. One from before the call stops nothing.
  ///
  /// To the JDK each coroutine is a thread of its own: a monitor or lock that the caller holds is
  /// not held by `main`, which would wait for it for ever.
  ///
  /// @return what `main` returned
  /// @throws IllegalStateException inside a coroutine, or where the JVM lacks the flag that Heddle
  ///   needs (the message has it)
  /// @throws CoroutineException when `main`, or a coroutine whose failure nobody took, threw a
  ///   checked exception; unchecked ones and errors come as they are
  /// @throws DeadlockError when coroutines were left that nothing could wake
  /// @throws Cancellation when `main` was cancelled: by [#shutdown(Duration)], or by itself
  /// @throws ExitException after [#exit(int)] or a handled signal
  public static <T extends @Nullable Object> T run(Body<T> main) {
    return run(HeddleOptions.defaults(), main);
  }

  /// Runs a main coroutine without a result. Else as [#run(Body)].
  public static void run(Action main) {
    run(HeddleOptions.defaults(), main);
  }

  /// Runs a main coroutine without a result, with options. Else as [#run(Body)].
  public static void run(HeddleOptions options, Action main) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(main, "main");
    if (needsAThreadOfItsOwn()) {
      Loop.run(options, asBody(main));
    } else {
      LoopRuntime.run(options, main, MainHandlers.claim(), loop -> {});
    }
  }

  /// Runs a main coroutine with options. Else as [#run(Body)].
  public static <T extends @Nullable Object> T run(HeddleOptions options, Body<T> main) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(main, "main");
    if (needsAThreadOfItsOwn()) {
      return Loop.run(options, main);
    }
    return LoopRuntime.run(options, main, MainHandlers.claim(), loop -> {});
  }

  // a carrier must be a platform thread
  private static boolean needsAThreadOfItsOwn() {
    return Thread.currentThread().isVirtual() && CoroutineNode.currentOrNull() == null;
  }

  // ---- scopes ----

  /// Runs a block whose coroutines all end before it does: what it spawns goes into its scope. If
  /// the block or a member fails, the others are cancelled and awaited, and the failure is thrown
  /// here. **Suspends** while members run.
  public static void scope(Action block) {
    Body<@Nullable Void> body = asBody(block);
    scope(_ -> body.run());
  }

  /// Runs a block with a value, or with its scope in hand. Else as [#scope(Action)].
  public static <T extends @Nullable Object> T scope(ScopeBody<T> body) {
    return rethrowing(() -> ScopeNode.block(body, false));
  }

  /// Runs a block whose coroutines all end before it does, but in which a failure cancels no other:
  /// it stays with its coroutine, for whichever awaits that one. A failure that no coroutine took
  /// is reported at the end. **Suspends** while members run.
  public static void supervise(Action block) {
    Body<@Nullable Void> body = asBody(block);
    supervise(_ -> body.run());
  }

  /// Runs a block with a value, or with its scope in hand. Else as [#supervise(Action)].
  public static <T extends @Nullable Object> T supervise(ScopeBody<T> body) {
    return rethrowing(() -> ScopeNode.block(body, true));
  }

  /// Starts a coroutine in the current scope; it runs when the current one suspends or ends. While
  /// the loop stops, a scope that takes no more is stood in for by the root scope: who cleans up
  /// may spawn, until the shutdown deadline. **Suspends** never.
  public static <T extends @Nullable Object> Coroutine<T> spawn(Body<T> body) {
    return ScopeNode.spawnTarget().spawn(body);
  }

  /// Starts a named coroutine in the current scope. Else as [#spawn(Body)].
  public static <T extends @Nullable Object> Coroutine<T> spawn(String name, Body<T> body) {
    return ScopeNode.spawnTarget().spawn(name, body);
  }

  /// Starts a coroutine without a result. Else as [#spawn(Body)].
  public static Coroutine<@Nullable Void> spawn(Action action) {
    return ScopeNode.spawnTarget().spawn(action);
  }

  /// Starts a named coroutine without a result. Else as [#spawn(Body)].
  public static Coroutine<@Nullable Void> spawn(String name, Action action) {
    return ScopeNode.spawnTarget().spawn(name, action);
  }

  /// Starts a named coroutine that nobody awaits, in the current scope. Else as [#spawn(Body)].
  public static void launch(String name, Action action) {
    ScopeNode.spawnTarget().launch(name, action);
  }

  /// Starts a named coroutine that is cancelled when the others of the current scope are done. Else
  /// as [#spawn(Body)].
  public static void background(String name, Action action) {
    ScopeNode.spawnTarget().background(name, action);
  }

  /// Calls `action` for each item of `source`, at most so many at a time, each in a coroutine that
  /// may suspend. **Suspends** until all have ended. [ForEach] has the details, and more ways.
  ///
  /// @param concurrency at least 1
  public static <T extends @Nullable Object> void forEach(
      Iterable<? extends T> source, int concurrency, ItemAction<? super T> action) {
    ForEach.<T>over(source).withConcurrency(concurrency).run(action);
  }

  /// Starts a coroutine in the scope that `provider` says, or in the current one when it says none.
  /// A [SpawnStrategy] also sees the coroutine before and after it is queued. Else as
  /// [#spawn(Body)].
  ///
  /// @throws IllegalArgumentException when the scope is none of Heddle's
  public static <T extends @Nullable Object> Coroutine<T> spawnWith(
      ScopeProvider provider, Body<T> body) {
    Scope provided = provider.provideScope();
    Scope scope = provided == null ? ScopeNode.spawnTarget() : provided;
    if (!(provider instanceof SpawnStrategy strategy)) {
      return scope.spawn(body);
    }
    if (scope instanceof ScopeNode node) {
      return node.spawn(strategy, body);
    }
    throw new IllegalArgumentException("not a scope of Heddle's: " + scope.getClass().getName());
  }

  /// Whether the current thread is a coroutine of a loop that runs. **Thread** any.
  public static boolean inCoroutine() {
    return CoroutineNode.onLoopOrNull() != null;
  }

  /// The current coroutine.
  public static Coroutine<?> current() {
    return CoroutineNode.current();
  }

  // ---- waiting ----

  /// Lets every coroutine that is ready run once. **Suspends** when there is one.
  public static void yieldNow() {
    CoroutineNode<?> self = CoroutineNode.current();
    self.scheduler().yieldFrom(self);
  }

  /// Waits for `delay`, never less; zero or less only lets the others run once. **Suspends**
  /// always.
  public static void delay(Duration delay) {
    CoroutineNode<?> self = CoroutineNode.current();
    if (delay.isZero() || delay.isNegative()) {
      self.scheduler().yieldFrom(self);
    } else {
      self.delay(delay);
    }
  }

  /// Waits for whatever can be awaited. **Suspends** unless it is there already.
  ///
  /// @return what it fires with
  @SuppressWarnings({"unchecked", "NullAway"}) // an Awaitable<T> fires with a T, by contract
  public static <T extends @Nullable Object> T await(Awaitable<T> awaitable) {
    if (awaitable instanceof Completable<?> completable) {
      return (T) completable.await();
    }
    if (awaitable instanceof Scope scope) {
      scope.join();
      return (T) null;
    }
    return (T) CoroutineNode.current().awaitEvent(EventSource.of(awaitable));
  }

  /// Waits for whatever can be awaited, but not beyond a deadline; what is waited for goes on. Else
  /// as [#await(Awaitable)].
  ///
  /// @throws DeadlineException when the deadline runs out first
  @SuppressWarnings({"unchecked", "NullAway"}) // an Awaitable<T> fires with a T, by contract
  public static <T extends @Nullable Object> T await(Awaitable<T> awaitable, Deadline deadline) {
    if (awaitable instanceof Completable<?> completable) {
      return (T) completable.await(deadline);
    }
    if (awaitable instanceof Scope scope) {
      scope.join(deadline);
      return (T) null;
    }
    return (T) CoroutineNode.current().scheduler().await(EventSource.of(awaitable), deadline);
  }

  /// Waits for whatever can be awaited, but not beyond the moment in which `token` fires; what is
  /// waited for goes on. Else as [#await(Awaitable)].
  ///
  /// @throws WaitCancelledException when the token fires first, however it fires
  @SuppressWarnings({"unchecked", "NullAway"}) // an Awaitable<T> fires with a T, by contract
  public static <T extends @Nullable Object> T await(Awaitable<T> awaitable, Awaitable<?> token) {
    if (awaitable instanceof Completable<?> completable) {
      return (T) completable.await(token);
    }
    if (awaitable instanceof Scope scope) {
      scope.join(token);
      return (T) null;
    }
    return (T) CoroutineNode.current().scheduler().await(EventSource.of(awaitable), token);
  }

  /// Waits for a stage of another library, completed by any thread. **Suspends** unless it is
  /// complete. **Cancelled** the stage goes on.
  ///
  /// @throws CoroutineException when it failed with a checked exception; a [CompletionException] is
  ///   unwrapped first
  public static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    return awaitStage(stage, CoroutineNode.current()::awaitEvent);
  }

  /// Waits for a stage of another library, but not beyond a deadline. Else as
  /// [#await(CompletionStage)].
  ///
  /// @throws DeadlineException when the deadline runs out first
  public static <T extends @Nullable Object> T await(CompletionStage<T> stage, Deadline deadline) {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return awaitStage(stage, end -> scheduler.await(end, deadline));
  }

  /// Waits for a stage of another library, but not beyond the moment in which `token` fires. Else
  /// as [#await(CompletionStage)].
  ///
  /// @throws WaitCancelledException when the token fires first, however it fires
  public static <T extends @Nullable Object> T await(CompletionStage<T> stage, Awaitable<?> token) {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    EventSource until = EventSource.of(token); // a use of the token, needed or not
    return awaitStage(stage, end -> scheduler.await(end, until));
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the stage completes with a T
  private static <T extends @Nullable Object> T awaitStage(
      CompletionStage<T> stage, Function<EventSource, @Nullable Object> wait) {
    if (stage instanceof CompletableFuture<T> future && CompletionStageWait.hasSucceeded(future)) {
      return future.resultNow();
    }
    try (CompletionStageWait watched = LoopStages.enter(stage)) {
      return (T) wait.apply(watched.event());
    }
  }

  /// Runs `body` for at most `limit`; then the body is cancelled: what it waits for throws, and its
  /// `finally` blocks run, and may wait.
  ///
  /// A body that swallows the cut goes on. After the grace period ([HeddleOptions#gracePeriod()])
  /// each of its waits is cut again, and the log names it once. The block throws at its end all the
  /// same, whatever the body returned. In a broad `catch (Exception e)`, around calls that wait in
  /// the JDK, [#checkCancelled()] tells the cut from a failure:
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=broadCatch}
  ///
  /// A wait that no interrupt ends, such as `lock()` or `join()` of a future, lets the block
  /// outlast its limit; it returns if no other wait follows.
  ///
  /// What another thread hands over just as the limit runs out is not lost. `claim()` of a queue
  /// returns it then, and leaves the interrupt flag set. If the body returns it, the block does. A
  /// body that catches the `InterruptedException` of such a wait, restores the flag and returns a
  /// value looks the same: the block returns that value. An action has no result, and its block
  /// throws.
  ///
  /// @throws DeadlineException when the limit cut it
  /// @throws IllegalArgumentException unless the limit is positive
  public static <T extends @Nullable Object> T withTimeout(Duration limit, Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().withTimeout(limit, body));
  }

  /// Runs an action for at most `limit`. Else as [#within(Duration, Body)].
  public static void withTimeout(Duration limit, Action action) {
    withTimeout(limit, asBody(action));
  }

  /// Runs `body` until `deadline` at most. Else as [#within(Duration, Body)].
  ///
  /// @throws DeadlineException when the deadline cut it
  public static <T extends @Nullable Object> T withDeadline(Deadline deadline, Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().withDeadline(deadline, body));
  }

  /// Runs an action until `deadline` at most. Else as [#within(Duration, Body)].
  public static void withDeadline(Deadline deadline, Action action) {
    withDeadline(deadline, asBody(action));
  }

  /// Runs `body` until `token` fires at most; then the body is cancelled: what it waits for throws,
  /// and its `finally` blocks run.
  ///
  /// @throws WaitCancelledException when the token cut it; its cause is what the token failed with
  public static <T extends @Nullable Object> T cancelWhen(Awaitable<?> token, Body<T> body) {
    EventSource end = EventSource.of(token);
    return rethrowing(() -> CoroutineNode.current().within(end, body));
  }

  /// Runs an action until `token` fires at most. Else as [#within(Awaitable, Body)].
  public static void cancelWhen(Awaitable<?> token, Action action) {
    cancelWhen(token, asBody(action));
  }

  /// Runs `body` so that what it waits for in the JDK is not interrupted when it is cancelled: the
  /// JDK closes the sockets and channels of a thread that is interrupted. The cancellation is
  /// thrown at its next suspension point of Heddle's. Blocks nest. An interrupt that the JDK has
  /// left set is cleared first.
  public static <T extends @Nullable Object> T uninterruptibly(Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().uninterruptibly(body));
  }

  /// Runs an action without interrupts. Else as [#uninterruptibly(Body)].
  public static void uninterruptibly(Action action) {
    uninterruptibly(asBody(action));
  }

  /// Runs `body` to its end before a cancellation is delivered; blocks nest. A cancellation that
  /// came meanwhile is thrown as the outermost block ends. An interrupt by another thread does not
  /// end waits for the loop in it. An interrupt that the JDK has left set behind a socket that was
  /// cut is cleared before the body runs.
  public static <T extends @Nullable Object> T shield(Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().shielded(body));
  }

  /// Runs an action to its end before a cancellation is delivered. Else as [#shield(Body)].
  public static void shield(Action action) {
    shield(asBody(action));
  }

  /// Runs a call that would hold the loop (file I/O, a native call) on another thread. **Suspends**
  /// always. **Cancelled** the call is interrupted and its outcome, be it a failure, dropped; the
  /// coroutine does not wait for it. What the call throws is thrown here, the same object, and its
  /// trace goes on with the frames of the caller.
  @SuppressWarnings({"unchecked", "NullAway"}) // the call returns a T
  public static <T extends @Nullable Object> T offload(Callable<T> call) {
    CoroutineNode<?> self = CoroutineNode.current();
    return rethrowing(() -> (T) LoopRuntime.of(self).blockingPools().offload().run(self, call));
  }

  /// Runs `body`, which must not suspend: what it leaves half done is seen by no other coroutine. A
  /// wait of Heddle's is refused where it is asked for; one in the JDK, or of a scope that the body
  /// opened, takes place, and the section fails at its end. Waits for what is there already do not
  /// suspend.
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=section}
  ///
  /// @throws IllegalStateException when it did, naming the place; also when the body caught that
  public static <T extends @Nullable Object> T assertNoSuspend(Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().assertNoSuspend(body));
  }

  /// Runs an action that must not suspend. Else as [#assertNoSuspend(Body)].
  public static void assertNoSuspend(Action action) {
    assertNoSuspend(asBody(action));
  }

  /// Throws the cancellation that is pending, if there is one: for code that computes long without
  /// suspending. It looks for deadlines that are over, and for what other threads and signals ask
  /// for; a call costs a few nanoseconds. **Suspends** never.
  ///
  /// Behind a wait of the JDK's that was interrupted for a cancellation, it throws that
  /// cancellation, once: for a broad `catch` around such a wait.
  public static void checkCancelled() {
    CoroutineNode.current().checkCancelled();
  }

  /// What is known about a failure beside what the throwable says: the coroutine it came from, who
  /// spawned that one, which failures gave way to it. From any thread, also when the loop has
  /// ended.
  ///
  /// @return null when it came from no coroutine and met no other failure
  public static @Nullable FailureReport reportOf(Throwable failure) {
    return FailureTable.reportOf(failure);
  }

  // ---- switch handlers ----

  /// Adds a switch handler to the current coroutine; outside a loop to the main coroutine of the
  /// next loop that this thread starts, which then begins with its ENTER.
  ///
  /// **Thread** any.
  ///
  /// @throws IllegalStateException inside a switch handler of the current coroutine
  public static void addSwitchHandler(SwitchHandler handler) {
    if (CoroutineNode.currentOrNull() == null) {
      MainHandlers.addToNext(handler);
    } else {
      current().addSwitchHandler(handler);
    }
  }

  /// Adds a switch handler to the main coroutine of every loop that starts from now on, in this
  /// process: for what has to be set up wherever a loop runs. It is called first as main begins.
  ///
  /// **Thread** any.
  ///
  /// @return takes it back; loops that have started keep it
  public static Registration onMainStart(SwitchHandler handler) {
    return MainHandlers.addToEvery(handler);
  }

  // ---- ending ----

  /// Stops the loop gracefully: every coroutine is cancelled, then what was registered with
  /// [#onShutdown(AutoCloseable)] is closed, and what has not ended by the deadline is named and
  /// abandoned. Returns at once; the current coroutine is cancelled like the others. Of several
  /// calls the earliest deadline counts. From other threads: [Loop#shutdown(Duration)].
  ///
  /// @param deadline from now; zero: at once
  /// @throws IllegalArgumentException when it is negative
  public static void shutdown(Duration deadline) {
    LoopRuntime.current().shutdown().request("shutdown was called", null, deadline);
  }

  /// Closes `resource` when the loop has ended all its coroutines, whether it stops or simply has
  /// nothing left to do; what was registered last is closed first.
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=closer}
  ///
  /// `close()` runs in a coroutine, may wait, and may spawn. While it waits, the next ones are
  /// closed: what must wait for another's end goes into one closer with it. The shutdown deadline
  /// holds for closers, too, counted from when the loop stops, or else from when they begin; those
  /// that nobody has come to by then are called all the same and may wait for the grace period.
  /// What they throw ends [#run] when nothing else does: one failure as it is, several in a
  /// [CompositeException].
  ///
  /// @return takes it back, on the loop
  /// @throws LoopEndedException past the shutdown deadline
  public static Registration onShutdown(AutoCloseable resource) {
    return LoopRuntime.current().shutdown().closers().add(null, resource);
  }

  /// Closes `resource` at the end, and calls it `name` in reports. Else as
  /// [#onShutdown(AutoCloseable)].
  public static Registration onShutdown(String name, AutoCloseable resource) {
    Objects.requireNonNull(name, "name");
    return LoopRuntime.current().shutdown().closers().add(name, resource);
  }

  /// Stops the loop gracefully and makes [#run] throw an [ExitException] with `code`; of several
  /// codes the first one counts.
  ///
  /// @throws Cancellation the current coroutine's own, unless it is protected
  public static void exit(int code) {
    CoroutineNode<?> self = CoroutineNode.current();
    LoopRuntime.of(self).shutdown().exit(code);
    self.checkCancelled();
  }

  /// What the current loop has counted.
  public static LoopCounters counters() {
    return LoopRuntime.current().counters();
  }

  /// A promise, to be completed on this loop by whoever has it.
  public static <T extends @Nullable Object> Promise<T> promise() {
    CoroutineNode.current(); // fails elsewhere, naming this call
    return new Promise<>();
  }

  /// A promise with a name for dumps and reports. Else as [#promise()].
  public static <T extends @Nullable Object> Promise<T> promise(String name) {
    CoroutineNode.current();
    return new Promise<>(name);
  }

  /// Every coroutine of the current loop: who waits, on what, since when, with its stack; beside
  /// them, the runtimes of processes in this JVM. For logs and for error handlers; from outside,
  /// [dev.heddle.observe.LoopMXBean] has the same of the loop. **Suspends** never. **Cost** some
  /// microseconds for each coroutine, and each process with a sequential body.
  public static Dump dump() {
    return DumpParts.addedTo(LoopRuntime.current().dump());
  }

  /// Something that other threads pull to wake coroutines of this loop.
  ///
  /// @param name for dumps
  public static Trigger trigger(String name) {
    CoroutineNode<?> self = CoroutineNode.current();
    return new TriggerEvent(self.scheduler(), self.scheduler().inbox(), name);
  }

  /// A one-shot event that fires after `delay`; a token for waits, or something to subscribe a
  /// callback to. It counts from now, whether or not a coroutine waits for it yet.
  ///
  /// @param delay zero or less: it fires as soon as a coroutine waits for it
  public static Event timer(Duration delay) {
    CoroutineTree tree = CoroutineNode.current().tree();
    return tree.timer(tree.nanoTimeAfter(delay));
  }

  /// A timer that neither keeps the loop alive nor counts against a deadlock. Else as
  /// [#timer(Duration)].
  public static Event daemonTimer(Duration delay) {
    CoroutineTree tree = CoroutineNode.current().tree();
    return tree.daemonTimer(tree.nanoTimeAfter(delay));
  }

  /// Ticks, one in each period from now on, with the number of the period. Lateness does not add
  /// up; a reader that is late finds the latest tick, and by its number how many it has missed.
  /// Close the stream when it is not needed any more.
  ///
  /// @throws IllegalArgumentException unless the period is positive
  @SuppressWarnings("unchecked") // it fires with its number
  public static EventStream<Long> ticks(Duration period) {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    EventSource timer = new PeriodicTimer(scheduler, scheduler.timers(), period);
    return EventStream.latest((Awaitable<Long>) (Awaitable<?>) timer);
  }

  private static Body<@Nullable Void> asBody(Action action) {
    Objects.requireNonNull(action, "action");
    return () -> {
      action.run();
      return null;
    };
  }

  private static <T extends @Nullable Object> T rethrowing(Body<T> body) {
    try {
      return body.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new CoroutineException(e);
    }
  }
}
