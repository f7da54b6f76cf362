// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.HeddleOptions;
import dev.heddle.Registration;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.event.source.FutureLedger;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Nanos;
import dev.heddle.internal.Rethrow;
import dev.heddle.observe.Dump;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.Drivers;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Carrier;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.SchedulerCounters;
import dev.heddle.scheduler.SchedulerOwner;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.VirtualThreads;
import dev.heddle.thread.worker.LoopThreads;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A loop: the root of the tree, and what a loop has besides. Its end is [Shutdown]'s.
///
/// **Thread** carrier and coroutines, unless a method says otherwise.
public final class LoopRoot implements SchedulerOwner {
  private final HeddleOptions options;
  private final @Nullable ClassLoader ordinaryLoader =
      Thread.currentThread().getContextClassLoader();
  private final AsyncLog log;
  private final Scheduler scheduler;
  private final ScopeNode root;
  private final Shutdown shutdown;
  private final LoopThreads threads;
  private final LoopLedger futures;
  private final LoopServices services;

  private final LoopWatch watch;
  private final Overruns overruns = new Overruns(this);

  // loop only
  private long ids;
  int live; // the tree counts here
  int needed; // of those: whose end it waits for
  private final Set<SpawnRequest<?>> submitted = new HashSet<>(); // and not answered
  boolean restCancelled;
  private @Nullable Overdue rest; // who is left then

  // any thread
  private volatile boolean givenUp;

  // any thread; completed as the last thing
  private final CompletableFuture<@Nullable Object> outcome = new CompletableFuture<>();

  private LoopRoot(HeddleOptions options, SchedulerParts parts) {
    SpawnSites.prepare();
    FailureTable.prepare();
    this.options = options;
    this.log = new AsyncLog(options.name(), ordinaryLoader);
    this.scheduler = new Scheduler(this, parts, options.reuse());
    this.root = ScopeNode.root(this);
    this.shutdown = new Shutdown(this);
    this.threads = new LoopThreads(scheduler, options.name(), options.offloadThreads());
    this.futures = new LoopLedger(this);
    this.services = new LoopServices(this);
    this.watch = new LoopWatch(this);
  }

  private static SchedulerParts usualParts(HeddleOptions options) {
    Carrier carrier = new Carrier(Thread.currentThread());
    return SchedulerParts.usual(Drivers.open(options.driver(), carrier));
  }

  // ---- running ----

  /// Runs a loop on the current thread until everything in it has ended.
  ///
  /// @param forMain switch handlers of its main coroutine
  /// @param started told the loop before its first coroutine runs; the loop's handle for other
  ///   threads
  public static <T extends @Nullable Object> T run(
      HeddleOptions options,
      Body<T> main,
      List<SwitchHandler> forMain,
      Consumer<LoopRoot> started) {
    LoopRoot loop = open(options, null, started);
    return loop.execute(main, forMain);
  }

  /// Runs a loop on parts of the caller's choice. Else as the first one.
  public static <T extends @Nullable Object> T run(
      HeddleOptions options, SchedulerParts parts, Body<T> main, Consumer<LoopRoot> started) {
    LoopRoot loop = open(options, parts, started);
    return loop.execute(main, List.of());
  }

  /// Runs a loop whose main coroutine has no result. Else as the first one.
  public static void run(
      HeddleOptions options, Action main, List<SwitchHandler> forMain, Consumer<LoopRoot> started) {
    LoopRoot loop = open(options, null, started);
    loop.<@Nullable Void>execute(main, forMain);
  }

  private static LoopRoot open(
      HeddleOptions options, @Nullable SchedulerParts parts, Consumer<LoopRoot> started) {
    String problem = VirtualThreads.problem();
    if (problem != null) {
      throw new IllegalStateException(problem);
    }
    if (ExecutionContext.current() != null) {
      throw new IllegalStateException(
          "Heddle.run was called inside a coroutine; use Heddle.scope(...) for work that belongs"
              + " together, or Loop.start(...) for a loop on a thread of its own");
    }
    LoopRoot loop = new LoopRoot(options, parts == null ? usualParts(options) : parts);
    started.accept(loop);
    return loop;
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // a Body<T>, or an Action where T is Void
  private <T extends @Nullable Object> T execute(Object work, List<SwitchHandler> forMain) {
    boolean interrupted = Thread.interrupted();
    CoroutineNode<T> main = newMain(work, forMain);
    try (Registration _ = JvmExit.stops(this);
        Registration _ = options.handleSignals() ? ProcessSignals.stop(this) : () -> {}) {
      root.admit(main);
      watch.begin();
      scheduler.run();
    } catch (RuntimeException | Error e) {
      shutdown.broke(e);
    }
    try {
      end();
      return outcome(main);
    } finally {
      outcome.cancel(false); // unless it is there: nobody is to wait for it
      if (interrupted || shutdown.tookInterrupt()) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // what it inherits from this thread is copied by users' code, which may throw
  private <T extends @Nullable Object> CoroutineNode<T> newMain(
      Object work, List<SwitchHandler> handlers) {
    try {
      CoroutineNode<T> main = root.newMain(work);
      handlers.forEach(main::addSwitchHandler);
      return main;
    } catch (Throwable e) {
      end(); // other threads may have the loop already, and wait for its answers
      log.close();
      outcome.completeExceptionally(e);
      throw e;
    }
  }

  private void end() {
    List<CoroutineNode<?>> left = shutdown.stillThere();
    Dump last = left.isEmpty() || shutdown.isAtOnce() ? null : dumpOrNull(left);
    try {
      scheduler.close();
    } catch (Throwable e) {
      shutdown.broke(e);
    }
    atTheEnd(watch::end);
    atTheEnd(threads::close);
    atTheEnd(services::close);
    atTheEnd(() -> JvmExit.leftBehind(left, shutdown.exitCode()));
    left.forEach(abandoned -> atTheEnd(abandoned::abandon)); // calls callbacks of users'
    atTheEnd(futures::close);
    submitted.forEach(request -> atTheEnd(request::refuse)); // they began, and never came back
    atTheEnd(() -> shutdown.report(left, last));
  }

  // other threads wait for what comes after it, and the caller of run() for main's outcome
  private void atTheEnd(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      if (FailureTable.isFatal(e)) {
        shutdown.broke(e);
      } else {
        report("a failure at the loop's end, which goes on", e);
      }
    }
  }

  private <T extends @Nullable Object> T outcome(CoroutineNode<T> main) {
    Throwable thrown = shutdown.verdict(main);
    // a program's last words: whoever called run() may exit the JVM now
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

  /// What `run` returns or throws, when the loop has ended. For any thread, to wait for: never to
  /// be completed, and to be given away as a copy only.
  public CompletableFuture<@Nullable Object> outcome() {
    return outcome;
  }

  /// Waits until the loop has ended, or for `limit`. For other threads.
  void awaitEnd(Duration limit) {
    try {
      outcome.get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException | TimeoutException _) {
      // safe: it has ended, or cannot; how it did is told to whoever called run()
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- for the rest of the room ----

  /// The loop's scheduler.
  public Scheduler scheduler() {
    return scheduler;
  }

  /// What it was started with.
  public HeddleOptions options() {
    return options;
  }

  /// Where what it has to say is written, and its listeners are called: beside the loop.
  AsyncLog log() {
    return log;
  }

  /// The threads beside it.
  public LoopThreads threads() {
    return threads;
  }

  /// What rooms above keep for it.
  public LoopServices services() {
    return services;
  }

  @Override
  public FutureLedger futures() {
    return futures;
  }

  @Nullable ClassLoader ordinaryLoader() {
    return ordinaryLoader;
  }

  long nextId() {
    return ++ids;
  }

  void memberLeft(boolean wasNeeded) {
    live--;
    notNeeded(wasNeeded ? 1 : 0);
    if (live == 0) {
      watchRest(null);
      shutdown.allHaveEnded();
    }
  }

  /// So many of the coroutines no longer keep the loop alive. When none does, the rest is
  /// cancelled.
  void notNeeded(int released) {
    needed -= released;
    if (needed == 0 && !restCancelled) {
      restCancelled = true;
      root.cancelMembers(new Cancellation("everything else is done"));
      watchRest(live == 0 ? null : Overdue.watch(root));
    }
  }

  private void watchRest(@Nullable Overdue watch) {
    if (rest != null) {
      rest.stop();
    }
    rest = watch;
  }

  /// A timer that keeps the loop alive while a coroutine waits for it.
  public TimerEvent timer(long deadline) {
    return timer(deadline, false);
  }

  /// A timer that does not.
  public TimerEvent hiddenTimer(Duration after) {
    return timer(nanoTimeAfter(after), true);
  }

  /// `delay` from now, by the loop's clock, read anew.
  public long nanoTimeAfter(Duration delay) {
    return Nanos.after(scheduler.nanoTime(), delay);
  }

  /// A timer that is not armed, for `deadline` on the scale of the loop's clock.
  public TimerEvent timer(long deadline, boolean hidden) {
    return new TimerEvent(scheduler, scheduler.timers(), deadline, hidden);
  }

  /// What has been counted so far.
  public LoopCounters counters() {
    SchedulerCounters c = scheduler.counters();
    return new LoopCounters(
        c.mounts(),
        c.lostMounts(),
        c.selfResumes(),
        c.reuses(),
        c.immediate(),
        scheduler.reactor().looks(),
        scheduler.reactor().sleeps(),
        scheduler.timers().size(),
        scheduler.contexts().created(),
        live);
  }

  /// How it ends.
  public Shutdown shutdown() {
    return shutdown;
  }

  boolean isPastDeadline() {
    return shutdown.isPast();
  }

  ScopeNode root() {
    return root;
  }

  /// The scope of the main coroutine, above all others.
  public Scope rootScope() {
    return root;
  }

  /// Every coroutine that has not ended.
  List<CoroutineNode<?>> coroutines() {
    return root.members();
  }

  /// Whether the current thread is one of its coroutines.
  public boolean isCurrent() {
    ExecutionContext context = ExecutionContext.current();
    return context != null && context.host() == scheduler && !scheduler.hasEnded();
  }

  /// All that looks at the loop.
  LoopWatch watch() {
    return watch;
  }

  Overruns overruns() {
    return overruns;
  }

  /// Who runs, who waits, and on what; asked by another thread, which waits for the answer.
  public CompletableFuture<Dump> askForDump() {
    return DumpRequest.to(this);
  }

  /// Runs `body` as a coroutine of the loop; asked by another thread.
  public <T extends @Nullable Object> CompletableFuture<T> submit(String name, Body<T> body) {
    return SpawnRequest.to(this, name, body);
  }

  void submitted(SpawnRequest<?> request) {
    submitted.add(request);
  }

  void answered(SpawnRequest<?> request) {
    if (!scheduler.hasEnded()) {
      submitted.remove(request);
    }
  }

  /// Who runs, who waits, and on what; called on the loop.
  public Dump dump() {
    return DumpTaker.take(this, Monitors.UNKNOWN);
  }

  /// The first of those who are left, for a report; null when it cannot be taken: nothing else must
  /// depend on it.
  @Nullable Dump dumpOrNull(List<CoroutineNode<?>> left) {
    try {
      return DumpTaker.takeFirst(this, left);
    } catch (Throwable e) {
      log.error("no dump of the loop's coroutines could be taken", e);
      return null;
    }
  }

  /// Tells the operator about a failure that no code will get, and about those that gave way to it:
  /// nobody will ask for its report. **Thread** any; never waits.
  void report(String what, @Nullable Throwable failure) {
    reportAlone(what, failure);
    if (failure != null) {
      FailureTable.behind(failure)
          .forEach(
              other -> reportAlone("a failure gave way to one that is reported: " + what, other));
    }
  }

  private void reportAlone(String what, @Nullable Throwable failure) {
    if (shutdown.isForJvm()) {
      // known to come too late for the loggers, whose hooks run beside ours; of any other line the
      // log finds out when it writes it
      log.besideTheLog(what, failure);
    } else {
      log.error(what, failure);
    }
  }

  /// Tells the operator about what is probably a mistake. **Thread** any; never waits.
  void warn(String what) {
    log.warning(what, null);
  }

  // ---- what the JVM's exit asks, on other threads ----

  /// Whether `run` has returned, or is about to.
  boolean isOver() {
    return outcome.isDone();
  }

  /// The process ends without it: it has not ended in time, and is not waited for any more.
  void giveUp() {
    givenUp = true;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  // ---- what the scheduler finds ----

  @Override
  public boolean mayWait() {
    return shutdown.mayWait();
  }

  @Override
  public void nothingCanGoOn() {
    shutdown.nothingCanGoOn();
  }

  @Override
  public void onlyForeignWaits() {
    watch.stalls().onlyForeignWaits();
  }

  @Override
  public void awake() {
    watch.stir();
  }

  @Override
  public void carrierInterrupted() {
    shutdown.carrierInterrupted();
  }

  @Override
  public void parked(Waker waker) {
    if (waker instanceof CoroutineNode<?> coroutine) {
      shutdown.parked(coroutine);
    }
  }

  @Override
  public void failed(Throwable failure) {
    shutdown.failed(failure);
  }

  @Override
  public void errandFailed(Throwable failure) {
    if (FailureTable.isFatal(failure)) {
      shutdown.failed(failure);
    } else {
      report("the loop goes on after a failure of its own work on its thread", failure);
    }
  }

  @Override
  public void notifyLater(Runnable notification) {
    CoroutineNode<?> notifier = root.newOwn("notification", notification::run);
    notifier.raisePriority();
    root.admit(notifier);
  }

  /// Starts a coroutine of the loop's own on a context that is kept for its like. It is cancelled
  /// past the shutdown deadline only, and the loop waits for its end.
  ///
  /// @param first whether it runs before those who are ready already
  public void startOwn(String name, Action work, ExecutionContext on, boolean first) {
    CoroutineNode<?> own = root.newOwn(name, work);
    if (first) {
      own.raisePriority();
    }
    on.admit(own);
    own.mountOn(on);
    root.admit(own);
  }

  @SuppressWarnings("NullAway") // null exactly when T allows it
  static <T extends @Nullable Object> T asResult(@Nullable T value) {
    return value;
  }
}
