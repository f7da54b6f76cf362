// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.ExitException;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.StackGuard;
import dev.heddle.loop.diagnostics.DumpTaker;
import dev.heddle.loop.diagnostics.LoopDiagnostics;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.Dump;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.inbox.Inbox;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The end of a loop: what stops it, the steps that follow and their order, and the reports about
/// coroutines that did not end in time.
public final class LoopShutdown {
  /*
   * States.
   *   from               event                         to        what happens
   *   RUNNING            a failure at the root, exit,  STOPPING  every coroutine is cancelled,
   *                      a request (shutdown, a                  once; the deadline is armed
   *                      signal, the JVM's exit), a
   *                      deadlock, an interrupt of
   *                      the sleeping carrier, a
   *                      defect of the runtime
   *   RUNNING, STOPPING  the last coroutine has        CLOSING   they are called, the last one
   *                      ended, closers are left                 first; the deadline is armed
   *                                                              unless it is armed already
   *   STOPPING, CLOSING  any of the above              same      the earlier deadline counts,
   *                                                              and the first exit code; after
   *                                                              a failure only the grace
   *                                                              period is left
   *   STOPPING, CLOSING  the deadline and one more     PAST_     the remaining coroutines are
   *                      round, or a deadlock          DEADLINE  recorded, the first with stacks;
   *                                                              shields end, every suspension
   *                                                              throws; remaining closers are
   *                                                              called
   *   any                the last coroutine has        ENDED     contexts end, the driver
   *                      ended, no closer is left                closes; the report says what
   *                                                              happened at PAST_DEADLINE
   *   PAST_DEADLINE      nothing is ready and no       ENDED     the same; the remaining
   *                      closer waits, or the grace              coroutines are abandoned to the
   *                      period is over, and one                 JDK's default scheduler
   *                      more round
   *   any                OutOfMemoryError or its       ENDED     at once, without closers
   *                      like, a second defect of
   *                      the runtime
   *
   * Spawns while the loop stops go into an open scope as usual. A spawn into the current scope, if
   * that is cancelled, goes to the root, which stays open until PAST_DEADLINE (it is the shutdown
   * scope). Closers run there, too, and may spawn.
   *
   * run() throws the first of these that exists: a defect; the deadlock; the root's failure or the
   * exit, whichever came first; main's failure; the failure of the closers; main's cancellation.
   * The others are merged into its report, or logged if an exit is thrown.
   *
   * Tasks of executors. Other threads may post a task while the loop ends. So the loop first stops
   * taking tasks, then empties its inbox once more, and ends only if no coroutine has come of that.
   * Otherwise it goes on, and takes tasks again unless it is stopping. LoopExecutor takes a task
   * back that it has posted when the loop takes none.
   *
   *   from            event                           to      who
   *   OPEN            the last coroutine has ended    PAUSED  the loop, before it empties its inbox
   *   PAUSED          a coroutine came of the inbox   OPEN    the loop
   *   OPEN, PAUSED    it stops, closes or ends        CLOSED  the loop
   *
   * Memory order: the volatile write of the intake, then the exchange on the inbox; see
   * LoopExecutor.
   *
   * Lateness. The deadline counts from the moment when all coroutines have been cancelled, the
   * grace period from the moment when all have been force-cancelled: the report of a deadlock and a
   * million wake-ups take seconds, in which no coroutine can clean up. A coroutine that is ready
   * when the time is over waits only for the loop, which was slow or was stopped with its process
   * (SIGSTOP). So all of them run once more before any is called late. Only once: a coroutine that
   * yields forever delays the end by one round, no longer.
   *
   * System.exit. It runs the shutdown hooks and waits for them on the stack of its caller, forever
   * if necessary. One of these hooks is ours: it stops the loop and waits for its end. So a
   * coroutine in System.exit never ends; if the loop waited for it, the hook would wait for its
   * deadline. Therefore the loop detaches it: it is recognised by its stack, and its scope no
   * longer counts it.
   *
   * Threads. The loop's; request(), takesTasks() and refusesTasks() any.
   *
   * I1. The shutdown cancels every coroutine at most once, and force-cancels it at most once.
   *     [ShutdownTest]
   * I2. The loop ends at the latest by its deadline and the grace period, and one round after each,
   *     unless a coroutine holds the carrier. [ShutdownTest, LateTest]
   * I3. Every failure is thrown, merged into what is thrown, or logged. [ShutdownTest, CloserTest]
   * I4. A task that was posted while the loop took tasks arrives before the loop ends, unless it
   *     ends at once. [LoopExecutorEndTest]
   *
   * Rejected. Extending the deadline by the time in which the loop was stopped: a coroutine that
   * holds the carrier now and then would extend it forever. Calling closers while coroutines run:
   * they would close what is still in use. Ending the clean-up of all coroutines at a second
   * failure: one lost connection would cost all others theirs.
   *
   * Sources. Promises T12, T18, T19; loop-13, loop-94, loop-98, loop-285; trap-10, trap-22,
   * trap-23, trap-42, trap-63, trap-66.
   */
  private static final int UNKNOWN = 1; // the JVM already has its exit code
  private static final String INTERRUPTED = "its thread was interrupted";
  private static final int MAX_NAMED = 5; // more are only counted
  private static final int MAX_SHOWN = 20; // with their stacks, in the message of an exception

  private enum Phase {
    RUNNING,
    STOPPING,
    CLOSING,
    PAST_DEADLINE
  }

  /// Whether the loop takes tasks of executors.
  private enum Intake {
    OPEN,
    PAUSED,
    CLOSED
  }

  private record Exit(int code, String why) {}

  /// The coroutines that did not end in time, as they were then.
  private record OverdueAtDeadline(
      String why, List<CoroutineNode<?>> coroutines, @Nullable Dump dump) {}

  private final CoroutineTree tree;
  private final FailureReporter reporter;
  private final LoopDiagnostics watch;
  private final Closers closers;

  // loop only
  private Phase phase = Phase.RUNNING;
  private @Nullable TimerEvent deadline;
  private @Nullable Exit exit;
  private @Nullable Throwable defect;
  private @Nullable DeadlockError deadlock;
  private boolean rootFailedFirst; // before an exit code was set
  private boolean interrupted;
  private @Nullable OverdueAtDeadline overdue;

  // the loop writes, any thread reads
  private volatile Intake intake = Intake.OPEN;

  LoopShutdown(CoroutineTree tree, FailureReporter reporter, LoopDiagnostics watch) {
    this.tree = tree;
    this.reporter = reporter;
    this.watch = watch;
    this.closers = new Closers(tree);
  }

  public Closers closers() {
    return closers;
  }

  public boolean isStopping() {
    return phase != Phase.RUNNING;
  }

  boolean isPast() {
    return phase == Phase.PAST_DEADLINE;
  }

  /// Whether it takes tasks of executors now. **Thread** any.
  boolean takesTasks() {
    return intake == Intake.OPEN;
  }

  /// Whether it will take no more tasks of executors. **Thread** any.
  boolean refusesTasks() {
    return intake == Intake.CLOSED;
  }

  /// Whether the carrier was interrupted, and the interrupt was treated as a request.
  boolean consumedInterrupt() {
    return interrupted;
  }

  // ---- requests ----

  /// Requests a shutdown; **Thread** any. The earliest deadline and the first exit code of several
  /// requests apply.
  ///
  /// @param code the exit code, or null if `run` returns as usual
  /// @param within counted from when the loop receives the request
  public void request(String why, @Nullable Integer code, Duration within) {
    checkDeadline(within);
    post(new Request(why, code == null ? null : new Exit(code, why), within, false));
  }

  public static void checkDeadline(Duration within) {
    if (within.isNegative()) {
      throw new IllegalArgumentException("a shutdown deadline must not be negative: " + within);
    }
  }

  /// Requests a shutdown because the JVM exits; **Thread** any.
  void requestForJvm() {
    String why = "the JVM exits";
    post(new Request(why, new Exit(UNKNOWN, why), tree.options().shutdownDeadline(), true));
  }

  /// Requests a shutdown as an interrupt of the carrier does: for a thread that waits for the loop
  /// and was interrupted, or that would interrupt the carrier while coroutines run on it.
  /// **Thread** any.
  public void requestByInterrupt() {
    var _ = tree.scheduler().inbox().post(new CallersInterrupt());
  }

  private final class CallersInterrupt extends Inbox.Node {
    @Override
    public void onArrival() {
      tree.scheduler().runOnCarrier(LoopShutdown.this::stopByInterrupt);
    }
  }

  private void post(Request request) {
    var _ = tree.scheduler().inbox().post(request); // not needed after the end
  }

  private final class Request extends Inbox.Node {
    private final String why;
    private final @Nullable Exit asked;
    private final Duration within;
    private final boolean forJvm;

    Request(String why, @Nullable Exit asked, Duration within, boolean forJvm) {
      this.why = why;
      this.asked = asked;
      this.within = within;
      this.forJvm = forJvm;
    }

    @Override
    public void onArrival() {
      if (forJvm) {
        reporter.jvmExits();
        tree.scheduler().runOnCarrier(() -> tree.coroutines().forEach(LoopShutdown.this::detach));
      }
      stop(stopping(why, null), asked, within);
    }
  }

  public void exit(int code) {
    StackGuard.requireRoom();
    String why = "exit(" + code + ")";
    stop(stopping(why, null), new Exit(code, why), tree.options().shutdownDeadline());
  }

  /// Called when a member of the root failed, unobserved. Further failures come here, too.
  void rootFailed(Throwable failure) {
    rootFailedFirst |= exit == null;
    Duration limit =
        isStopping() ? tree.options().gracePeriod() : tree.options().shutdownDeadline();
    stop(stopping(failure.getClass().getName(), failure), null, limit);
  }

  /// Called when the carrier has left its loop with a failure: no coroutine runs any more.
  void carrierFailed(Throwable failure) {
    intake = Intake.CLOSED;
    if (defect == null) {
      defect = failure;
    } else {
      FailureTable.merge(defect, failure);
    }
  }

  void failed(Throwable failure) {
    boolean first = defect == null;
    carrierFailed(failure);
    if (tree.scheduler().hasEnded()) {
      return; // releasing the rest failed
    }
    if (first && !FailureTable.isFatal(failure)) {
      stop(stopping("it has failed", failure), null, tree.options().shutdownDeadline());
    } else {
      tree.scheduler().finish(); // the state can no longer be relied upon
    }
  }

  void carrierInterrupted() {
    interrupted = true;
    stopByInterrupt();
  }

  // on the trampoline, where all stacks can be read
  private void stopByInterrupt() {
    String waits = phase == Phase.RUNNING ? ", while these waited:\n" + describeWaiters() : "";
    stop(stopping(INTERRUPTED + waits, null), null, tree.options().shutdownDeadline());
  }

  private String describeWaiters() {
    List<CoroutineNode<?>> all = tree.coroutines();
    List<CoroutineNode<?>> some = all.subList(0, Math.min(all.size(), MAX_SHOWN));
    int more = all.size() - some.size();
    return DumpTaker.takeOnly(tree, some).text().stripTrailing()
        + (more == 0 ? "" : "\nand " + number(more) + " more");
  }

  /// Called when nothing is ready, armed or parked by the JDK, and coroutines are left.
  void onDeadlock() {
    switch (phase) {
      case RUNNING -> {
        if (!tree.root().cancelWhatMayFinish(new Cancellation("no other coroutine can continue"))) {
          DeadlockError verdict =
              new DeadlockError(new DeadlockReport(DumpTaker.takeForDeadlock(tree)));
          deadlock = verdict;
          stop(
              new Cancellation("Deadlock detected", verdict),
              null,
              tree.options().shutdownDeadline());
        }
      }
      case STOPPING, CLOSING -> passDeadline("while the loop stopped, and nothing could wake them");
      case PAST_DEADLINE -> tree.scheduler().finish();
    }
  }

  private static Cancellation stopping(String why, @Nullable Throwable cause) {
    return new Cancellation("the loop is stopping: " + why, cause);
  }

  // ---- steps ----

  private void stop(Cancellation c, @Nullable Exit asked, Duration within) {
    exit = exit == null ? asked : exit;
    try {
      if (phase == Phase.RUNNING) {
        phase = Phase.STOPPING;
        intake = Intake.CLOSED;
        tree.root().cancelMembers(c);
      }
    } finally {
      bringForward(within); // counted from now: before, no coroutine could clean up
    }
  }

  private void bringForward(Duration within) {
    long by = tree.nanoTimeAfter(within);
    TimerEvent before = deadline;
    if (phase == Phase.PAST_DEADLINE
        || by == Long.MAX_VALUE
        || (before != null && before.deadline() - by <= 0)) {
      return;
    }
    if (before != null) {
      before.stop();
    }
    deadline = armed(by, () -> passDeadline("by the shutdown deadline"));
  }

  // a daemon: neither keeps the loop alive nor counts against a deadlock
  private TimerEvent armed(long by, Runnable whenOver) {
    TimerEvent timer = tree.daemonTimer(by);
    timer.subscribe(new OnExpiry(whenOver));
    timer.start();
    return timer;
  }

  // then every ready coroutine runs once
  private final class OnExpiry implements InlineCallback {
    private final Runnable task;

    OnExpiry(Runnable task) {
      this.task = task;
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      // stacks can be read there
      tree.scheduler().runOnCarrier(() -> tree.scheduler().runAfterRound(task));
    }
  }

  /// Called when the last coroutine has ended or is no longer waited for.
  void allHaveEnded() {
    if (intake == Intake.OPEN) {
      intake = Intake.PAUSED;
    }
    Scheduler scheduler = tree.scheduler();
    scheduler.runOnCarrier(() -> {
      scheduler.inbox().drain(); // what arrives spawns as a carrier task
      scheduler.runOnCarrier(this::closeOrFinish);
    });
  }

  private void closeOrFinish() {
    if (tree.scheduler().hasEnded()) {
      return; // it has ended at once, by the last coroutine: nothing is closed
    }
    if (tree.isAlive()) {
      if (intake == Intake.PAUSED) {
        intake = Intake.OPEN;
      }
      return;
    }
    intake = Intake.CLOSED;
    if (!closers.hasRemaining()) {
      tree.scheduler().finish();
      return;
    }
    if (phase != Phase.PAST_DEADLINE) {
      phase = Phase.CLOSING;
      bringForward(tree.options().shutdownDeadline());
    }
    closers.startPass();
  }

  private void passDeadline(String why) {
    if (phase == Phase.PAST_DEADLINE) {
      return;
    }
    phase = Phase.PAST_DEADLINE;
    List<CoroutineNode<?>> left = remaining();
    overdue = left.isEmpty() ? null : new OverdueAtDeadline(why, left, watch.dumpOrNull(left));
    left.forEach(CoroutineNode::forceCancel);
    armed(tree.nanoTimeAfter(tree.options().gracePeriod()), tree.scheduler()::finish);
    closers.pastDeadline();
  }

  int exitCode() {
    return exit == null ? UNKNOWN : exit.code();
  }

  /// Whether the JVM itself is failing: nothing else should be tried.
  boolean isAtOnce() {
    return defect != null && FailureTable.isFatal(defect);
  }

  List<CoroutineNode<?>> remaining() {
    return tree.coroutines().stream().filter(c -> !c.isDone()).toList();
  }

  boolean mayWait() {
    return phase != Phase.PAST_DEADLINE || closers.mayWait();
  }

  void parked(CoroutineNode<?> coroutine) {
    if (isStopping()) {
      closers.parked(coroutine);
      if (reporter.isJvmExiting()) {
        tree.scheduler().runOnCarrier(() -> detach(coroutine));
      }
    }
  }

  private void detach(CoroutineNode<?> coroutine) {
    ExecutionContext context = coroutine.context();
    if (!coroutine.isDone() && context != null && context.isActive() && isInExit(context)) {
      coroutine.detach();
    }
  }

  /// Whether the occupant of a context is inside `System.exit`. On the loop.
  public static boolean isInExit(ExecutionContext context) {
    return Arrays.stream(context.stackOnLoop())
        .anyMatch(frame -> frame.getClassName().equals("java.lang.Shutdown"));
  }

  // ---- reports at the end ----

  /// Reports the coroutines that were not in time.
  ///
  /// @param abandoned the coroutines that have not ended at all
  /// @param last a dump of them; null: none
  void report(List<CoroutineNode<?>> abandoned, @Nullable Dump last) {
    if (deadlock != null) {
      watch.report(deadlock.report());
    }
    OverdueAtDeadline l = overdue;
    if (l != null) {
      String who = count(l.coroutines()) + " did not end " + l.why() + abandoned(abandoned, last);
      reporter.report(who + closers.describeOverdue() + describeAtDeadline(l, abandoned), null);
    } else if (!abandoned.isEmpty() && !isAtOnce()) {
      reporter.report("the loop has failed" + abandoned(abandoned, last), null);
    }
  }

  private static String abandoned(List<CoroutineNode<?>> abandoned, @Nullable Dump last) {
    return abandoned.isEmpty()
        ? ""
        : "; abandoned %s: %s".formatted(count(abandoned), labels(abandoned))
            + (last == null ? "" : "\n" + first(last, abandoned));
  }

  private static String describeAtDeadline(
      OverdueAtDeadline overdueAtDeadline, List<CoroutineNode<?>> abandoned) {
    Dump dump = overdueAtDeadline.dump();
    return dump == null || overdueAtDeadline.coroutines().equals(abandoned)
        ? ""
        : "\nas they were then: " + first(dump, overdueAtDeadline.coroutines());
  }

  private static String first(Dump dump, List<CoroutineNode<?>> all) {
    int more = all.size() - dump.coroutines().size();
    return more > 0
        ? dump.text() + "and " + number(more) + " more, which this report only counts\n"
        : dump.text();
  }

  private static String count(List<CoroutineNode<?>> coroutines) {
    return coroutines.size() == 1 ? "1 coroutine" : number(coroutines.size()) + " coroutines";
  }

  private static String number(int n) {
    return String.format(Locale.ROOT, "%,d", n);
  }

  private static String labels(List<CoroutineNode<?>> coroutines) {
    int more = coroutines.size() - MAX_NAMED;
    return coroutines.stream()
            .limit(MAX_NAMED)
            .map(CoroutineNode::label)
            .collect(Collectors.joining(", "))
        + (more > 0 ? " and " + number(more) + " more" : "");
  }

  /// The throwable that `run` must throw; null: it returns main's result.
  @Nullable Throwable verdict(CoroutineNode<?> main) {
    Throwable root = tree.root().failure();
    Throwable asked = exit == null ? null : new ExitException(exit.code(), exit.why());
    Throwable mains = main.failure();
    Throwable closing = closers.failure();
    boolean justCancelled = mains instanceof Cancellation && closing != null;
    List<@Nullable Throwable> all =
        Arrays.asList(
            defect,
            deadlock,
            rootFailedFirst ? root : asked,
            rootFailedFirst ? asked : root,
            justCancelled ? closing : mains,
            justCancelled ? mains : closing);
    Throwable first = null;
    for (Throwable each : all) {
      if (first == null) {
        first = each;
      } else if (each != null && each != first) {
        recordSuperseded(first, each);
      }
    }
    return first;
  }

  private void recordSuperseded(Throwable thrown, Throwable other) {
    if (other instanceof ExitException || other instanceof LoopEndedException) {
      return; // consequences of the end are not reported: detached, abandoned
    }
    // nor is main's cancellation, except what it carries
    Throwable further = other instanceof Cancellation ? Precedence.carriedBy(other) : other;
    if (further == null) {
      return;
    }
    if (thrown instanceof ExitException) {
      reporter.report("a failure while the loop stopped: " + thrown.getMessage(), further);
    } else {
      FailureTable.merge(thrown, further);
    }
  }
}
