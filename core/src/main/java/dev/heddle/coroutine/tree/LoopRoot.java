// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.ExitException;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.FutureLedger;
import dev.heddle.event.InlineCallback;
import dev.heddle.failure.FailureTable;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.Dump;
import dev.heddle.observe.LoopCounters;
import dev.heddle.reactor.ReactorDriver;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.reactor.jdk.JdkDriver;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.SchedulerCounters;
import dev.heddle.scheduler.SchedulerOwner;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.VirtualThreads;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.thread.worker.LoopThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A loop from its start to its end: the root of the tree, and what happens when it fails, is asked
/// to stop, or cannot go on.
public final class LoopRoot implements SchedulerOwner {
  /*
   * States.  from      event                                             to        who
   *          RUNNING   a failure nobody took, exit, a signal, a call,    STOPPING  loop, or through the inbox from any thread
   *                    a deadlock, an interrupt of the sleeping carrier
   *          RUNNING   the last coroutine has ended                      ENDED     trampoline
   *          STOPPING  the last coroutine has ended                      ENDED     trampoline
   *          STOPPING  deadline, or nothing can go on                    PAST      timer, trampoline: no shield holds any more,
   *                                                                               every suspension throws
   *          PAST      nothing is ready, or the grace period is over     ENDED     trampoline: who is left is named, and left
   *                                                                               to the JDK's default scheduler
   *
   * STOPPING cancels every coroutine once, with the reason. Coroutines spawned from then on run until PAST.
   *
   * What run() throws, the first that applies: a defect of the runtime, the deadlock, the root's failure, the exit code, main's
   * own failure or cancellation. Otherwise it returns main's result.
   *
   * Threads. Carrier and coroutines; requestShutdown() and execute()'s callers apart.
   *
   * Sources. DESIGN 3.1, 3.7, 3.8; promises T18, T19; traps 10, 22, 23, 63, 66.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle");

  private final HeddleOptions options;
  private final @Nullable ClassLoader ordinaryLoader =
      Thread.currentThread().getContextClassLoader();
  private final Scheduler scheduler;
  private final ScopeNode root;
  private final AtomicReference<@Nullable ShutdownRequest> requested = new AtomicReference<>();
  private final LoopThreads threads;
  private final LoopLedger futures;

  private final LoopWatch watch;

  // loop only
  private long ids;
  int live; // the tree counts here
  int needed; // of those: whose end it waits for
  boolean restCancelled;
  private boolean stopping;
  private boolean pastDeadline;
  private @Nullable Integer exitCode;
  private @Nullable Throwable defect;
  private @Nullable DeadlockError deadlock;
  private @Nullable TimerEvent shutdownTimer;

  private LoopRoot(HeddleOptions options, SchedulerParts parts) {
    FailureTable.prepare();
    this.options = options;
    this.scheduler = new Scheduler(this, parts, options.reuse());
    this.root = ScopeNode.root(this);
    this.threads = new LoopThreads(scheduler, options.name());
    this.futures = new LoopLedger(this);
    this.watch = new LoopWatch(this);
  }

  // one driver so far; others choose here
  private static ReactorDriver openDriver() {
    String asked = System.getProperty("heddle.driver", "jdk");
    if (!asked.equals("jdk")) {
      throw new IllegalArgumentException("-Dheddle.driver=" + asked + ": there is only jdk so far");
    }
    return new JdkDriver();
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
    LoopRoot loop =
        new LoopRoot(options, parts == null ? SchedulerParts.usual(openDriver()) : parts);
    started.accept(loop);
    return loop;
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // a Body<T>, or an Action where T is Void
  private <T extends @Nullable Object> T execute(Object work, List<SwitchHandler> forMain) {
    boolean interrupted = Thread.interrupted();
    CoroutineNode<T> main = root.newMain(work);
    forMain.forEach(main::addSwitchHandler);
    root.admit(main);
    watch.begin();
    try (ProcessSignals _ = ProcessSignals.handledBy(options.handleSignals() ? this : null)) {
      scheduler.run();
    } catch (RuntimeException | Error e) {
      defect = e;
    } finally {
      end();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    throwWhatEndedIt();
    return main.outcome();
  }

  private void end() {
    List<CoroutineNode<?>> left = root.members();
    Dump last = left.isEmpty() ? null : dump();
    try {
      scheduler.close();
    } finally {
      watch.end();
      threads.close();
      left.forEach(CoroutineNode::abandon);
      futures.close();
    }
    if (last != null) {
      report(
          left.size()
              + " coroutines did not end by the shutdown deadline and were abandoned\n"
              + last.text(),
          null);
    }
  }

  private void throwWhatEndedIt() {
    if (deadlock != null) {
      watch.tell(deadlock.report());
    }
    Throwable first = defect != null ? defect : deadlock != null ? deadlock : root.failure();
    if (first != null) {
      throw LoopRoot.<RuntimeException>rethrown(first);
    }
    if (exitCode != null) {
      throw new ExitException(exitCode, "exit(" + exitCode + ")");
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

  /// The threads beside it.
  public LoopThreads threads() {
    return threads;
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
      scheduler.finish();
    }
  }

  /// So many of the coroutines no longer keep the loop alive. When none does, the rest is
  /// cancelled.
  void notNeeded(int released) {
    needed -= released;
    if (needed == 0 && !restCancelled) {
      restCancelled = true;
      root.cancelMembers(new Cancellation("everything else is done"));
    }
  }

  TimerEvent timer(long deadline) {
    return timer(deadline, false);
  }

  TimerEvent hiddenTimer(Duration after) {
    return timer(nanoTimeAfter(after), true);
  }

  /// `delay` from now, by the loop's clock, read anew.
  public long nanoTimeAfter(Duration delay) {
    return Deadline.nanoTimeAfter(scheduler.nanoTime(), delay);
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

  boolean isPastDeadline() {
    return pastDeadline;
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

  /// Who runs, who waits, and on what; asked by another thread, which waits for the answer.
  public CompletableFuture<Dump> askForDump() {
    return DumpRequest.to(this);
  }

  /// Who runs, who waits, and on what; called on the loop.
  public Dump dump() {
    return DumpTaker.take(this, Monitors.UNKNOWN);
  }

  /// Tells the operator about a failure that no code will get.
  void report(String what, @Nullable Throwable failure) {
    LOG.log(System.Logger.Level.ERROR, what, failure);
  }

  /// Tells the operator about what is probably a mistake.
  void warn(String what) {
    LOG.log(System.Logger.Level.WARNING, what);
  }

  // ---- stopping ----

  /// Asks the loop to stop, from any thread; the first request counts.
  ///
  /// @param code what to exit with, or null when `run` is to return as usual
  public void requestShutdown(String why, @Nullable Integer code, Duration deadline) {
    if (deadline.isNegative()) {
      throw new IllegalArgumentException("a shutdown deadline must not be negative: " + deadline);
    }
    ShutdownRequest request = new ShutdownRequest(why, code, deadline);
    if (requested.compareAndSet(null, request)) {
      scheduler.inbox().post(request);
    }
  }

  /// Stops the loop with an exit code, from one of its coroutines.
  public void exit(int code) {
    stop("exit(" + code + ")", code, options.shutdownDeadline());
  }

  private void stop(String why, @Nullable Integer code, Duration deadline) {
    if (code != null && exitCode == null) {
      exitCode = code;
    }
    stop(new Cancellation("the loop is stopping: " + why), deadline);
  }

  private void stop(Cancellation c, Duration deadline) {
    if (stopping) {
      return;
    }
    stopping = true;
    shutdownTimer = hiddenTimer(deadline);
    InlineCallback whenOver = new DeadlineOver();
    shutdownTimer.subscribe(whenOver);
    shutdownTimer.start();
    root.cancelMembers(c);
  }

  /// A member of the root failed, and nobody took it.
  void rootFailed(Throwable failure) {
    stop(
        new Cancellation("the loop is stopping: " + failure.getClass().getName(), failure),
        options.shutdownDeadline());
  }

  private void passDeadline() {
    pastDeadline = true;
    TimerEvent last = hiddenTimer(options.gracePeriod());
    last.subscribe(new GraceOver());
    last.start();
    for (CoroutineNode<?> left : root.members()) {
      left.insist();
    }
  }

  // who goes on although every suspension throws is left behind, too
  private final class GraceOver implements InlineCallback {
    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      scheduler.finish();
    }
  }

  private final class DeadlineOver implements InlineCallback {
    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      passDeadline();
    }
  }

  private final class ShutdownRequest extends Inbox.Node {
    private final String why;
    private final @Nullable Integer code;
    private final Duration deadline;

    ShutdownRequest(String why, @Nullable Integer code, Duration deadline) {
      this.why = why;
      this.code = code;
      this.deadline = deadline;
    }

    @Override
    public void arrive() {
      stop(why, code, deadline);
    }
  }

  // ---- what the scheduler finds ----

  @Override
  public boolean mayWait() {
    return !pastDeadline;
  }

  @Override
  public void nothingCanGoOn() {
    if (stopping) {
      passDeadline();
      return;
    }
    if (root.cancelWhatMayFinish(new Cancellation("nobody else can go on"))) {
      return;
    }
    DeadlockError verdict = new DeadlockError(new DeadlockReport(dump()));
    deadlock = verdict;
    stop(new Cancellation("Deadlock detected", verdict), options.shutdownDeadline());
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
    stop("its thread was interrupted", null, options.shutdownDeadline());
  }

  @Override
  public void failed(Throwable failure) {
    if (defect == null) {
      defect = failure;
    }
    scheduler.finish();
  }

  @Override
  public void notifyLater(Runnable notification) {
    CoroutineNode<?> notifier = root.newOwn("notification", notification::run);
    notifier.highPriority();
    root.admit(notifier);
  }

  // ---- small things that generics need ----

  /// Throws anything as if it were unchecked.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the usual sneaky throw
  public static <E extends Throwable> RuntimeException rethrown(Throwable failure) throws E {
    throw (E) failure;
  }

  @SuppressWarnings("NullAway") // null exactly when T allows it
  static <T extends @Nullable Object> T asResult(@Nullable T value) {
    return value;
  }
}
