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

/// The entry point of Heddle: coroutines on one thread, in plain blocking code.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=heddle}
///
/// Inside a coroutine existing blocking code (`Thread.sleep`, sockets, locks, queues) suspends the
/// coroutine, not the loop. Coroutines of one loop never run at the same time: code between two
/// suspension points is atomic.
///
/// **Thread** [#run] from any thread. Except where stated, all other methods must be called inside
/// a coroutine; elsewhere they throw an [IllegalStateException] that names `Heddle.run`.
///
/// @since 0.1
public final class Heddle {
  private Heddle() {}

  // ---- starting ----

  /// Runs `main` as the main coroutine of a new loop on the current thread, and returns its result
  /// once all coroutines of the loop have ended. If the calling thread is virtual, the loop runs on
  /// a platform thread of its own. If it is a worker of a [java.util.concurrent.ForkJoinPool], the
  /// pool may run a compensating worker while the loop sleeps.
  ///
  /// An interrupt of the calling thread stops the loop as [#shutdown(Duration)] does, with the
  /// options' shutdown deadline; when the loop has ended, the thread's interrupt flag is set again.
  /// An interrupt from before the call does not stop the loop. A platform thread notices an
  /// interrupt only while the loop sleeps: the JDK clears the flag whenever a coroutine runs on the
  /// thread, so an interrupt at that moment is lost. [Loop#shutdown(Duration)] and interrupts of
  /// virtual threads are never lost.
  ///
  /// To the JDK each coroutine is a thread of its own. If the caller holds a monitor or lock that
  /// `main` needs, `main` waits for it forever.
  ///
  /// @return what `main` returned
  /// @throws IllegalStateException inside a coroutine, or if the JVM was started without the flag
  ///   that Heddle needs (the message names it)
  /// @throws CoroutineException when `main`, or a coroutine whose failure no other observed, threw
  ///   a checked exception; unchecked ones and errors are thrown as they are
  /// @throws DeadlockError when coroutines are left that nothing can wake
  /// @throws Cancellation when `main` was cancelled, by [#shutdown(Duration)] or by its own code
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

  // the carrier must be a platform thread
  private static boolean needsAThreadOfItsOwn() {
    return Thread.currentThread().isVirtual() && CoroutineNode.currentOrNull() == null;
  }

  // ---- scopes ----

  /// Runs a block in a new scope, and returns when all coroutines of that scope have ended. The
  /// block's spawns go into the scope. If the block or a member fails, the other members are
  /// cancelled and awaited, and the failure is thrown here. **Suspends** while members run.
  public static void scope(Action block) {
    Body<@Nullable Void> body = asBody(block);
    scope(_ -> body.run());
  }

  /// Runs a block that returns a value or uses its scope. Else as [#scope(Action)].
  public static <T extends @Nullable Object> T scope(ScopeBody<T> body) {
    return rethrowing(() -> ScopeNode.block(body, false));
  }

  /// Runs a block in a new scope, and returns when all coroutines of that scope have ended. The
  /// failure of one cancels no other: it is thrown to the coroutines that await the failed one. A
  /// failure that no coroutine observed is reported at the end. **Suspends** while members run.
  public static void supervise(Action block) {
    Body<@Nullable Void> body = asBody(block);
    supervise(_ -> body.run());
  }

  /// Runs a block that returns a value or uses its scope. Else as [#supervise(Action)].
  public static <T extends @Nullable Object> T supervise(ScopeBody<T> body) {
    return rethrowing(() -> ScopeNode.block(body, true));
  }

  /// Starts a coroutine in the current scope; it runs when the current one suspends or ends. While
  /// the loop stops, a spawn into a closed or cancelled scope goes to the root scope instead, so
  /// that clean-up code can still spawn until the shutdown deadline. **Suspends** never.
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

  /// Starts a named coroutine in the current scope, without a handle to await it. Else as
  /// [#spawn(Body)].
  public static void launch(String name, Action action) {
    ScopeNode.spawnTarget().launch(name, action);
  }

  /// Starts a named coroutine that is cancelled when the others of the current scope are done. Else
  /// as [#spawn(Body)].
  public static void background(String name, Action action) {
    ScopeNode.spawnTarget().background(name, action);
  }

  /// Calls `action` for each item of `source`, at most `concurrency` at a time, in coroutines.
  /// **Suspends** until all have ended. [ForEach] has the details and more forms.
  ///
  /// @param concurrency at least 1
  public static <T extends @Nullable Object> void forEach(
      Iterable<? extends T> source, int concurrency, ItemAction<? super T> action) {
    ForEach.<T>over(source).withConcurrency(concurrency).run(action);
  }

  /// Starts a coroutine in the scope that `provider` returns, or in the current one if it returns
  /// null. A [SpawnStrategy] is also called before and after the coroutine is queued. Else as
  /// [#spawn(Body)].
  ///
  /// @throws IllegalArgumentException when Heddle did not create the scope
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

  /// Whether the current thread is a coroutine of a running loop. **Thread** any.
  public static boolean inCoroutine() {
    return CoroutineNode.onLoopOrNull() != null;
  }

  /// The current coroutine.
  public static Coroutine<?> current() {
    return CoroutineNode.current();
  }

  // ---- waiting ----

  /// Lets every ready coroutine run once. **Suspends** if there is one, or if a poll is due.
  public static void yieldNow() {
    CoroutineNode<?> self = CoroutineNode.current();
    self.scheduler().yieldFrom(self);
  }

  /// Waits for at least `delay`. **Suspends**; if `delay` is zero or negative, as [#yieldNow()]. A
  /// delay that is over when the coroutine is about to leave, with no other ready, costs no switch.
  public static void delay(Duration delay) {
    CoroutineNode<?> self = CoroutineNode.current();
    if (delay.isZero() || delay.isNegative()) {
      self.scheduler().yieldFrom(self);
    } else {
      self.delay(delay);
    }
  }

  /// Waits for an event, a coroutine, a scope or another [Awaitable]. **Suspends** unless it has
  /// fired already.
  ///
  /// @return the value that it fires with
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

  /// Waits, at most until a deadline; the awaited operation then continues. Else as
  /// [#await(Awaitable)].
  ///
  /// @throws DeadlineException when the deadline expires first
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

  /// Waits, at most until `token` fires; the awaited operation then continues. Else as
  /// [#await(Awaitable)].
  ///
  /// @throws WaitCancelledException when the token fires first, even by failing
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

  /// Waits for a stage of another library, which any thread may complete. **Suspends** unless it is
  /// complete. **Cancelled** the stage continues.
  ///
  /// @throws CoroutineException when it failed with a checked exception; a [CompletionException] is
  ///   unwrapped first
  public static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    return awaitStage(stage, CoroutineNode.current()::awaitEvent);
  }

  /// Waits for a stage, at most until a deadline. Else as [#await(CompletionStage)].
  ///
  /// @throws DeadlineException when the deadline expires first
  public static <T extends @Nullable Object> T await(CompletionStage<T> stage, Deadline deadline) {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return awaitStage(stage, end -> scheduler.await(end, deadline));
  }

  /// Waits for a stage, at most until `token` fires. Else as [#await(CompletionStage)].
  ///
  /// @throws WaitCancelledException when the token fires first, even by failing
  public static <T extends @Nullable Object> T await(CompletionStage<T> stage, Awaitable<?> token) {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    EventSource until = EventSource.of(token); // checks the token even if the stage is complete
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

  /// Runs `body` for at most `limit`; then cancels it: its current wait throws, and its `finally`
  /// blocks run and may wait.
  ///
  /// A body that swallows the cancellation continues. After the grace period
  /// ([HeddleOptions#gracePeriod()]) each of its waits throws again, and the log names it once. At
  /// its end the block throws in any case, whatever the body returned. In a broad `catch (Exception
  /// e)` around calls that wait in the JDK, [#checkCancelled()] distinguishes the cancellation from
  /// a failure:
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=broadCatch}
  ///
  /// A wait that an interrupt does not end, such as `lock()` or a future's `join()`, can make the
  /// block outlast its limit. If no other wait follows it, the block returns normally.
  ///
  /// An item that another thread hands over just as the limit expires is not lost: a queue's
  /// `take()` returns it and leaves the interrupt flag set. If the body returns the item, so does
  /// the block. The same holds for a body that catches the `InterruptedException` of such a wait,
  /// restores the flag and returns a value. An action has no result, so its block throws.
  ///
  /// @throws DeadlineException when the limit expired
  /// @throws IllegalArgumentException unless the limit is positive
  public static <T extends @Nullable Object> T withTimeout(Duration limit, Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().withTimeout(limit, body));
  }

  /// Runs an action for at most `limit`. Else as [#withTimeout(Duration, Body)].
  public static void withTimeout(Duration limit, Action action) {
    withTimeout(limit, asBody(action));
  }

  /// Runs `body`, at most until `deadline`. Else as [#withTimeout(Duration, Body)].
  ///
  /// @throws DeadlineException when the deadline expired
  public static <T extends @Nullable Object> T withDeadline(Deadline deadline, Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().withDeadline(deadline, body));
  }

  /// Runs an action, at most until `deadline`. Else as [#withTimeout(Duration, Body)].
  public static void withDeadline(Deadline deadline, Action action) {
    withDeadline(deadline, asBody(action));
  }

  /// Runs `body`, at most until `token` fires; then cancels it: its current wait throws, and its
  /// `finally` blocks run.
  ///
  /// @throws WaitCancelledException when the token fired; its cause is the token's failure, if it
  ///   failed
  public static <T extends @Nullable Object> T cancelWhen(Awaitable<?> token, Body<T> body) {
    EventSource end = EventSource.of(token);
    return rethrowing(() -> CoroutineNode.current().cancelWhen(end, body));
  }

  /// Runs an action, at most until `token` fires. Else as [#cancelWhen(Awaitable, Body)].
  public static void cancelWhen(Awaitable<?> token, Action action) {
    cancelWhen(token, asBody(action));
  }

  /// Runs `body` so that a cancellation does not interrupt its waits in the JDK: an interrupt would
  /// close interruptible sockets and channels. The cancellation is thrown at the next suspension
  /// point in Heddle. Blocks nest. An interrupt flag that the JDK left set is cleared first.
  public static <T extends @Nullable Object> T uninterruptibly(Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().uninterruptibly(body));
  }

  /// Runs an action without interrupts. Else as [#uninterruptibly(Body)].
  public static void uninterruptibly(Action action) {
    uninterruptibly(asBody(action));
  }

  /// Runs `body` to its end before a cancellation is delivered; blocks nest. The cancellation is
  /// thrown as the outermost block ends. An interrupt by another thread does not end waits in
  /// Heddle inside `body`. An interrupt flag that the JDK left set when it closed a socket is
  /// cleared before `body` runs.
  public static <T extends @Nullable Object> T shield(Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().shielded(body));
  }

  /// Runs an action to its end before a cancellation is delivered. Else as [#shield(Body)].
  public static void shield(Action action) {
    shield(asBody(action));
  }

  /// Runs a call that would hold the loop (file I/O, a native call) on another thread. **Suspends**
  /// always. **Cancelled** the call is interrupted and its outcome is dropped, even a failure; the
  /// coroutine does not wait for it. A throwable of the call is thrown here, the same object, with
  /// the caller's frames appended to its trace.
  @SuppressWarnings({"unchecked", "NullAway"}) // the call returns a T
  public static <T extends @Nullable Object> T offload(Callable<T> call) {
    CoroutineNode<?> self = CoroutineNode.current();
    return rethrowing(() -> (T) LoopRuntime.of(self).blockingPools().offload().run(self, call));
  }

  /// Runs `body`, which must not suspend, so that no other coroutine sees its intermediate state. A
  /// wait in Heddle throws at the call. A wait in the JDK, or the end of a scope that the body
  /// opened, does suspend, and the section fails at its end. Waiting for something that is complete
  /// does not suspend.
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=section}
  ///
  /// @throws IllegalStateException when `body` suspended or tried to, naming the place; also if it
  ///   caught the first exception
  public static <T extends @Nullable Object> T assertNoSuspend(Body<T> body) {
    return rethrowing(() -> CoroutineNode.current().assertNoSuspend(body));
  }

  /// Runs an action that must not suspend. Else as [#assertNoSuspend(Body)].
  public static void assertNoSuspend(Action action) {
    assertNoSuspend(asBody(action));
  }

  /// Throws the pending cancellation, if there is one: for code that computes long without
  /// suspending. It checks expired deadlines and the requests of other threads and signals; a call
  /// costs a few nanoseconds. **Suspends** never.
  ///
  /// After a wait in the JDK that a cancellation interrupted, it throws that cancellation once: for
  /// a broad `catch` around such a wait.
  public static void checkCancelled() {
    CoroutineNode.current().checkCancelled();
  }

  /// What is known about a failure in addition to the throwable: the coroutine that threw it, its
  /// spawners, and the failures that it superseded. Also after the loop has ended. **Thread** any.
  ///
  /// @return null if no coroutine threw it and it superseded no other failure
  public static @Nullable FailureReport reportOf(Throwable failure) {
    return FailureTable.reportOf(failure);
  }

  // ---- switch handlers ----

  /// Adds a switch handler to the current coroutine; outside a loop, to the main coroutine of the
  /// next loop that this thread starts, which calls it with ENTER as it begins.
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
  /// process: for set-up that every loop needs. It is first called as the main coroutine begins.
  ///
  /// **Thread** any.
  ///
  /// @return removes the handler; loops that have started keep it
  public static Registration onMainStart(SwitchHandler handler) {
    return MainHandlers.addToEvery(handler);
  }

  // ---- ending ----

  /// Stops the loop gracefully: every coroutine is cancelled, then the resources registered with
  /// [#onShutdown(AutoCloseable)] are closed. Coroutines that have not ended by the deadline are
  /// named in the log and abandoned. Returns at once; the current coroutine is cancelled like the
  /// others. The earliest deadline of several calls applies. Other threads call
  /// [Loop#shutdown(Duration)].
  ///
  /// @param deadline from now; zero abandons at once
  /// @throws IllegalArgumentException when it is negative
  public static void shutdown(Duration deadline) {
    LoopRuntime.current().shutdown().request("shutdown was called", null, deadline);
  }

  /// Closes `resource` when all coroutines of the loop have ended, whether the loop was stopped or
  /// has no more work. The resource registered last is closed first.
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=closer}
  ///
  /// `close()` runs in a coroutine, may wait, and may spawn. While it waits, the next resources are
  /// closed; resources that must be closed one after the other belong into one closer. The shutdown
  /// deadline also applies to closers: it counts from the start of the shutdown, or else from the
  /// first closer. Closers that have not begun by then are still called, and may wait for the grace
  /// period. If nothing else fails [#run], it throws what they threw: one failure as it is, several
  /// in a [CompositeException].
  ///
  /// @return removes the registration; to be closed on the loop
  /// @throws LoopEndedException after the shutdown deadline
  public static Registration onShutdown(AutoCloseable resource) {
    return LoopRuntime.current().shutdown().closers().add(null, resource);
  }

  /// Closes `resource` at the end; reports call it `name`. Else as [#onShutdown(AutoCloseable)].
  public static Registration onShutdown(String name, AutoCloseable resource) {
    Objects.requireNonNull(name, "name");
    return LoopRuntime.current().shutdown().closers().add(name, resource);
  }

  /// Stops the loop gracefully and makes [#run] throw an [ExitException] with `code`; the code of
  /// the first call applies.
  ///
  /// @throws Cancellation in the current coroutine, unless it is shielded
  public static void exit(int code) {
    CoroutineNode<?> self = CoroutineNode.current();
    LoopRuntime.of(self).shutdown().exit(code);
    self.checkCancelled();
  }

  /// The counters of the current loop.
  public static LoopCounters counters() {
    return LoopRuntime.current().tree().counters();
  }

  /// Creates a promise, which coroutines of this loop may complete.
  public static <T extends @Nullable Object> Promise<T> promise() {
    CoroutineNode.current(); // throws outside a coroutine
    return new Promise<>();
  }

  /// A promise with a name for dumps and reports. Else as [#promise()].
  public static <T extends @Nullable Object> Promise<T> promise(String name) {
    CoroutineNode.current();
    return new Promise<>(name);
  }

  /// Lists every coroutine of the current loop with its state, what it waits for, since when, and
  /// its stack; also the process runtimes of this JVM. For logs and error handlers; from outside
  /// the JVM, [dev.heddle.observe.LoopMXBean] lists the loop's part. **Suspends** never. **Cost**
  /// some microseconds for each coroutine and for each process with a sequential body.
  public static Dump dump() {
    return DumpParts.addedTo(LoopRuntime.current().dump());
  }

  /// Creates a trigger, by which other threads wake coroutines of this loop.
  ///
  /// @param name for dumps
  public static Trigger trigger(String name) {
    CoroutineNode<?> self = CoroutineNode.current();
    return new TriggerEvent(self.scheduler(), self.scheduler().inbox(), name);
  }

  /// A one-shot event that fires after `delay`, to use as a token or to subscribe callbacks to. The
  /// delay counts from now, whether or not a coroutine waits for it yet.
  ///
  /// @param delay zero or negative: it fires as soon as a coroutine waits for it
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

  /// A stream of ticks, one in each period from now on, each with the number of its period. Delays
  /// do not add up. A slow reader gets the latest tick; its number shows how many were missed.
  /// Close the stream when it is no longer needed.
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
