// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopEndedException;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.CancellableCoroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.loop.diagnostics.DumpTaker;
import dev.heddle.loop.diagnostics.LoopDiagnostics;
import dev.heddle.observe.Dump;
import dev.heddle.observe.WaitSnapshot;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.Drivers;
import dev.heddle.scheduler.BornThreads;
import dev.heddle.scheduler.Carrier;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.SchedulerOwner;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.context.TimedWaits;
import dev.heddle.scheduler.context.VirtualThreads;
import dev.heddle.thread.worker.BlockingPools;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A loop: its parts, its run from the first coroutine to its result, and the callbacks of its tree
/// and its scheduler. [LoopShutdown] implements its end.
///
/// **Thread** carrier and coroutines, unless a method says otherwise.
public final class LoopRuntime implements SchedulerOwner, CoroutineTree.Host {
  private final HeddleOptions options;
  private final AsyncLog log;
  private final FailureReporter reporter;
  private final Scheduler scheduler;
  private final CoroutineTree tree;
  private final LoopDiagnostics watch;
  private final LoopShutdown loopShutdown;
  private final LoopEnd end;
  private final BlockingPools blockingPools;
  private final LoopOutcomes futures;
  private final LoopServices services = new LoopServices();

  // loop only
  private final Set<PendingWork> unanswered = new HashSet<>();
  private @Nullable Runnable crash; // what the carrier does first; null: it has not crashed
  private int tasksNeverBegun; // of executors
  private @Nullable Class<?> firstNeverBegun;

  // any thread; completed last
  private final CompletableFuture<@Nullable Object> outcome = new CompletableFuture<>();

  private LoopRuntime(HeddleOptions options, SchedulerParts parts) {
    FailureTable.prepare();
    this.options = options;
    this.log = new AsyncLog(options.name(), Thread.currentThread().getContextClassLoader());
    this.reporter = new FailureReporter(log);
    this.scheduler = new Scheduler(this, parts, options.reuse());
    this.tree = new CoroutineTree(options, scheduler, this);
    this.watch = new LoopDiagnostics(tree, log, parts.isObserved());
    reporter.tellObservers(watch::unhandled);
    this.loopShutdown = new LoopShutdown(tree, reporter, watch);
    this.end = new LoopEnd(options, loopShutdown, watch, outcome);
    this.blockingPools = new BlockingPools(scheduler, options.name(), options.offloadThreads());
    this.futures = new LoopOutcomes(reporter);
  }

  // ---- lookup ----

  /// The loop of the current coroutine; throws outside a coroutine.
  public static LoopRuntime current() {
    return of(CoroutineNode.current());
  }

  public static LoopRuntime of(CoroutineNode<?> coroutine) {
    return (LoopRuntime) coroutine.tree().host(); // safe: no other host creates a tree
  }

  // ---- running ----

  /// Runs a loop on the current thread until everything in it has ended.
  ///
  /// @param forMain switch handlers of its main coroutine
  /// @param started called with the loop before its first coroutine runs, as a handle for other
  ///   threads
  public static <T extends @Nullable Object> T run(
      HeddleOptions options,
      Body<T> main,
      List<SwitchHandler> forMain,
      Consumer<LoopRuntime> started) {
    LoopRuntime loop = open(options, null, started);
    return loop.execute(main, forMain);
  }

  /// Runs a loop on the caller's choice of parts. Else as the first one.
  public static <T extends @Nullable Object> T run(
      HeddleOptions options, SchedulerParts parts, Body<T> main, Consumer<LoopRuntime> started) {
    LoopRuntime loop = open(options, parts, started);
    return loop.execute(main, List.of());
  }

  /// Runs a loop whose main coroutine has no result. Else as the first one.
  public static void run(
      HeddleOptions options,
      Action main,
      List<SwitchHandler> forMain,
      Consumer<LoopRuntime> started) {
    LoopRuntime loop = open(options, null, started);
    loop.<@Nullable Void>execute(main, forMain);
  }

  private static LoopRuntime open(
      HeddleOptions options, @Nullable SchedulerParts parts, Consumer<LoopRuntime> started) {
    String problem = VirtualThreads.problem();
    if (problem != null) {
      throw new IllegalStateException(problem);
    }
    if (ExecutionContext.current() != null) {
      throw new IllegalStateException(
          "Heddle.run was called inside a coroutine; use Heddle.scope(...) for work that belongs"
              + " together, or Loop.start(...) for a loop on a thread of its own");
    }
    String timers = parts == null ? TimedWaits.problem() : null; // throws if it is set wrongly
    SchedulerParts chosen =
        parts == null
            ? SchedulerParts.usual(
                Drivers.open(options.driver(), new Carrier(Thread.currentThread())))
            : parts;
    LoopRuntime loop = new LoopRuntime(options, chosen);
    TimedWaitNotice.OF_ALL.sayOnce(timers, loop.log);
    started.accept(loop);
    return loop;
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // a Body<T>, or an Action where T is Void
  private <T extends @Nullable Object> T execute(Object work, List<SwitchHandler> forMain) {
    boolean interrupted = Thread.interrupted();
    CoroutineNode<T> main = newMain(work, forMain);
    try (Registration _ = JvmExit.register(end);
        Registration _ = options.handleSignals() ? SignalDispatcher.stop(end) : () -> {}) {
      tree.root().admit(main);
      watch.begin();
      scheduler.run();
      if (crash == null) {
        scheduler.runReadyThreads();
      }
    } catch (RuntimeException | Error e) {
      loopShutdown.carrierFailed(e);
    }
    try {
      if (crash != null) {
        throw dropped(crash);
      }
      release();
      return outcome(main);
    } finally {
      outcome.cancel(false); // no effect if complete; else no thread may wait for it
      if (interrupted || loopShutdown.consumedInterrupt()) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // inheriting from this thread calls user code, which may throw
  private <T extends @Nullable Object> CoroutineNode<T> newMain(
      Object work, List<SwitchHandler> handlers) {
    try {
      CoroutineNode<T> main = tree.root().newMain(work);
      handlers.forEach(main::addSwitchHandler);
      return main;
    } catch (Throwable e) {
      release(); // other threads may have the loop already, and wait for its replies
      log.close();
      outcome.completeExceptionally(e);
      throw e;
    }
  }

  private void release() {
    List<CoroutineNode<?>> left = loopShutdown.remaining();
    Dump last = left.isEmpty() || loopShutdown.isAtOnce() ? null : watch.dumpOrNull(left);
    runEndStep(watch::stopped);
    try {
      scheduler.close();
    } catch (Throwable e) {
      loopShutdown.carrierFailed(e);
    }
    runEndStep(watch::end);
    runEndStep(blockingPools::close);
    runEndStep(services::close);
    runEndStep(() -> JvmExit.leftBehind(left, loopShutdown.exitCode()));
    left.forEach(abandoned -> runEndStep(abandoned::abandon)); // calls user callbacks
    runEndStep(futures::close);
    unanswered.forEach(work -> runEndStep(work::refuse)); // did not end, or did not begin
    runEndStep(this::reportNeverBegun);
    runEndStep(() -> loopShutdown.report(left, last));
  }

  /// Ends the loop as a loss of power ends a program: no coroutine continues, no `finally` block
  /// and no handler runs, and nothing is closed. For simulations. The call of [#run] throws
  /// [LoopEndedException].
  ///
  /// - Threads that are no coroutines and whose turns the loop runs, those of its offloaded work
  ///   among them, do not continue either. Their `join` returns. Offloaded work on threads of the
  ///   system is interrupted, and goes on: it is outside of the loop.
  /// - A lock stays locked when a coroutine held it, and also when one waited for it: it may be the
  ///   next owner, which never takes it and never passes it on.
  /// - The result that a handle of the loop has ends with a
  ///   [java.util.concurrent.CancellationException]. Other threads whose calls the loop has
  ///   received get no answer and wait for ever; later calls are refused as after any end.
  /// - What the program has of the real world stays: child processes run on, signal handlers and
  ///   watches of files stay registered, and what it has read from standard input and not used is
  ///   lost.
  /// - The driver is not closed: its owner knows what a loss of power means to it.
  ///
  /// **Thread** a coroutine of the loop, for which the call does not return; or another thread
  /// while the driver sleeps, of which the caller knows that.
  ///
  /// @param atOnce what else loses its power: runs before anything else, and not when the crash is
  ///   refused
  /// @throws IllegalStateException when the JVM holds the carrier in the caller's frames: a class
  ///   initialiser, a native method; the loop goes on
  public void crash(Runnable atOnce) {
    ExecutionContext self = ExecutionContext.current();
    if (self == null || self.host() != scheduler) {
      crash = () -> {};
      scheduler.finish();
      atOnce.run();
      return;
    }
    crash = atOnce;
    try {
      scheduler.finishFrom(self);
    } finally {
      crash = null; // it has not left
    }
    throw new IllegalStateException(
        "a coroutine cannot crash its loop inside a class initialiser or a native method");
  }

  // what has begun to wait for this loop on other threads belongs to the crashed program, too
  private LoopEndedException dropped(Runnable first) {
    runEndStep(first);
    loopShutdown.remaining().stream()
        .map(CoroutineNode::context)
        .filter(Objects::nonNull)
        .forEach(context -> runEndStep(context::drop));
    runEndStep(watch::stopped);
    scheduler.drop(this::runEndStep);
    BornThreads threads = scheduler.bornThreads();
    if (threads != null) {
      threads.drop(this::runEndStep);
    }
    runEndStep(watch::end);
    runEndStep(blockingPools::close);
    runEndStep(log::close);
    return new LoopEndedException(describe() + " has crashed");
  }

  // the calls below serve other threads, and the caller of run() waits for main's outcome
  private void runEndStep(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      if (FailureTable.isFatal(e)) {
        loopShutdown.carrierFailed(e);
      } else {
        report("a failure while the loop ended, which continues", e);
      }
    }
  }

  private <T extends @Nullable Object> T outcome(CoroutineNode<T> main) {
    Throwable thrown = loopShutdown.verdict(main);
    // last log lines: the caller of run() may exit the JVM next
    log.close();
    AsyncLog.shared().flush();
    if (thrown == null) {
      T result = main.outcome();
      outcome.complete(result);
      return result;
    }
    outcome.completeExceptionally(thrown);
    throw Rethrow.unchecked(thrown);
  }

  /// The result of `run`. Any thread may wait for it after the loop has ended. Must never be
  /// completed, and only copies may be passed on.
  public CompletableFuture<@Nullable Object> outcome() {
    return outcome;
  }

  // ---- parts ----

  public Scheduler scheduler() {
    return scheduler;
  }

  public CoroutineTree tree() {
    return tree;
  }

  public HeddleOptions options() {
    return options;
  }

  public BlockingPools blockingPools() {
    return blockingPools;
  }

  public LoopServices services() {
    return services;
  }

  public LoopShutdown shutdown() {
    return loopShutdown;
  }

  public LoopEnd end() {
    return end;
  }

  public LoopDiagnostics diagnostics() {
    return watch;
  }

  @Override
  public UnobservedOutcomes futures() {
    return futures;
  }

  /// Has `listener` get the failures that no code observes, instead of the log. Called before the
  /// first coroutine runs.
  public void redirectReports(FailureListener listener) {
    reporter.redirect(listener);
  }

  /// Its name, for messages.
  String describe() {
    return "the loop '" + options.name() + "'";
  }

  public boolean isCurrent() {
    ExecutionContext context = ExecutionContext.current();
    return context != null && context.host() == scheduler && !scheduler.hasEnded();
  }

  public Dump dump() {
    return DumpTaker.take(tree);
  }

  /// Requests a dump from another thread, which waits for the reply.
  public CompletableFuture<Dump> askForDump() {
    return DumpTaker.request(tree);
  }

  /// The work that other threads wait for and that has arrived: refused if the loop ends first.
  Set<PendingWork> pending() {
    return unanswered;
  }

  /// Called at the end for a task of an executor that has not begun, and has no future to fail.
  void taskNeverBegan(Class<?> task) {
    tasksNeverBegun++;
    firstNeverBegun = firstNeverBegun == null ? task : firstNeverBegun;
  }

  private void reportNeverBegun() {
    if (firstNeverBegun != null) {
      String tasks = tasksNeverBegun == 1 ? "1 task" : tasksNeverBegun + " tasks";
      report(
          tasks
              + " of executors of "
              + describe()
              + " never began, since the loop has ended; the first one: "
              + firstNeverBegun.getName(),
          null);
    }
  }

  public <T extends @Nullable Object> CompletableFuture<T> submit(String name, Body<T> body) {
    return SpawnRequest.to(tree, unanswered, name, body);
  }

  /// Starts an internal coroutine on a context that is reserved for its kind. It is cancelled only
  /// past the shutdown deadline, and the loop waits for its end.
  ///
  /// @param first whether it runs before coroutines that are already ready
  public void startInternal(String name, Action work, ExecutionContext on, boolean first) {
    CoroutineNode<?> own = tree.root().newInternal(name, work);
    if (first) {
      own.raisePriority();
    }
    on.admit(own);
    own.mountOn(on);
    tree.root().admit(own);
  }

  // ---- CoroutineTree.Host ----

  @Override
  public boolean isStopping() {
    return loopShutdown.isStopping();
  }

  @Override
  public boolean isPastDeadline() {
    return loopShutdown.isPast();
  }

  @Override
  public void spawned(Coroutine<?> coroutine) {
    watch.spawned(coroutine);
  }

  @Override
  public void ended(Coroutine<?> coroutine) {
    watch.ended(coroutine);
  }

  @Override
  public void allHaveEnded() {
    loopShutdown.allHaveEnded();
  }

  @Override
  public void rootFailed(Throwable failure) {
    loopShutdown.rootFailed(failure);
  }

  @Override
  public void report(String what, @Nullable Throwable failure) {
    reporter.report(what, failure);
  }

  @Override
  public void gracePeriodEnded(CancellableCoroutine late, Cancellation unheeded) {
    watch.overruns().gracePeriodEnded(late, unheeded);
  }

  @Override
  public Registration reportOverdue(ScopeNode scope) {
    return watch.overruns().watch(scope);
  }

  @Override
  public List<WaitSnapshot> waitsOf(CoroutineNode<?> coroutine) {
    return DumpTaker.waits(coroutine);
  }

  // ---- SchedulerOwner ----

  @Override
  public boolean maySleep() {
    return loopShutdown.mayWait();
  }

  @Override
  public void onDeadlock() {
    loopShutdown.onDeadlock();
  }

  @Override
  public void onOnlyForeignWaits() {
    watch.stalls().onlyForeignWaits();
  }

  @Override
  public void onWake() {
    watch.onWake();
  }

  @Override
  public void carrierInterrupted() {
    loopShutdown.carrierInterrupted();
  }

  @Override
  public void parked(Occupant occupant) {
    if (occupant instanceof CoroutineNode<?> coroutine) {
      loopShutdown.parked(coroutine);
    }
  }

  @Override
  public void failed(Throwable failure) {
    loopShutdown.failed(failure);
  }

  @Override
  public void carrierTaskFailed(Throwable failure) {
    if (FailureTable.isFatal(failure)) {
      loopShutdown.failed(failure);
    } else {
      report("the loop continues after an internal failure on its thread", failure);
    }
  }

  @Override
  public void notifyLater(Runnable notification) {
    CoroutineNode<?> notifier = tree.root().newInternal("notification", notification::run);
    notifier.raisePriority();
    tree.root().admit(notifier);
  }
}
