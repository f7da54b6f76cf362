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
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.inbox.Inbox;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The end of a loop: what makes it stop, what happens then and in which order, and what is said
/// about those who did not follow.
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
   *   RUNNING, STOPPING  the last coroutine has        CLOSING   they are called, the youngest
   *                      ended, closers are left                 first; the deadline is armed
   *                                                              unless it is
   *   STOPPING, CLOSING  any of the above              same      the earlier deadline counts,
   *                                                              and the first exit code; after
   *                                                              a failure only the grace
   *                                                              period is left
   *   STOPPING, CLOSING  the deadline and a round      PAST_DEADLINE      the coroutines left are noted,
   *                      behind it, or no coroutine              the first with stacks; no
   *                      can go on                               shield holds, every suspension
   *                                                              throws; closers that are left
   *                                                              are called
   *   any                the last coroutine has        ENDED     contexts end, the driver
   *                      ended, no closer is left                closes; the report says what
   *                                                              happened at PAST_DEADLINE
   *   PAST_DEADLINE               nothing is ready and no       ENDED     the same; the coroutines left
   *                      closer waits, or the grace              are abandoned to the JDK's
   *                      period is over, and a round             default scheduler
   *                      behind it
   *   any                OutOfMemoryError or its       ENDED     at once, without closers
   *                      like, a second defect of
   *                      the runtime
   * The reference's five steps: the flag (STOPPING), a cancellation for each, `finally` blocks,
   * the final cleanup (CLOSING, PAST_DEADLINE), the reactor's end (ENDED).
   *
   * Spawns while the loop stops go into an open scope as ever. A spawn into the current scope, when
   * that is cancelled, goes to the root, which stays open until PAST_DEADLINE (it is the shutdown
   * scope). Closers run there, too, and may spawn.
   *
   * run() throws the first of these: a defect, the deadlock, the root's failure or the exit,
   * whichever came first, what main failed with, what the closers failed with, main's
   * cancellation. The others are merged into its report, or logged beside an exit.
   *
   * Late. The deadline counts from when all coroutines have been cancelled, and the grace period
   * from when all have been insisted on: the report of a deadlock, and a million wake-ups, take
   * seconds in which no coroutine can clean up. A coroutine that is ready when the time is over
   * waits for the loop alone, which was slow, or stood still with its process (SIGSTOP). So all of
   * them get one more turn before any is called late. One turn: a coroutine that yields for ever
   * holds up the end for one round, no longer.
   *
   * System.exit. It runs the JVM's hooks and waits for them on the stack of its caller, for ever
   * if need be. One of these hooks is ours: it asks the loop to stop and waits for that. So a
   * coroutine in System.exit never ends, and if the loop waited for it, the hook would wait for
   * its deadline. The loop lets it go: it is recognised by its stack, and its scope no longer
   * counts it.
   *
   * Threads. The loop's; request() any.
   *
   * I1. Every coroutine is cancelled at most once for the sake of the end, and insisted on at most
   *     once. [ShutdownTest]
   * I2. The loop ends at the latest by its deadline and the grace period, and a round behind each,
   *     unless a coroutine holds the carrier. [ShutdownTest, LateTest]
   * I3. Every failure is thrown, merged into what is thrown, or logged. [ShutdownTest, CloserTest]
   *
   * Rejected. Moving the deadline by the time the loop stood still: a coroutine that holds the
   * carrier now and then would move it for ever. Closers beside the coroutines: they would close
   * what is still in use. Cutting all coroutines at a second failure, as the reference does: one
   * lost connection would cost all others their clean-up.
   *
   * Sources. Promises T12, T18, T19; loop-13, loop-94, loop-98, loop-285; trap-10, trap-22,
   * trap-23, trap-42, trap-63, trap-66.
   */
  private static final int UNKNOWN = 1; // the JVM has its exit code already
  private static final String INTERRUPTED = "its thread was interrupted";
  private static final int MAX_NAMED = 5; // of many; the rest is counted
  private static final int MAX_SHOWN = 20; // with their stacks, in the message of an exception

  private enum Phase {
    RUNNING,
    STOPPING,
    CLOSING,
    PAST_DEADLINE
  }

  private record Exit(int code, String why) {}

  /// Those who did not end in time, as they were then.
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
  private boolean rootFailedFirst; // before there was an exit code
  private boolean interrupted;
  private @Nullable OverdueAtDeadline overdue;

  LoopShutdown(CoroutineTree tree, FailureReporter reporter, LoopDiagnostics watch) {
    this.tree = tree;
    this.reporter = reporter;
    this.watch = watch;
    this.closers = new Closers(tree);
  }

  /// What is to be closed at the end.
  public Closers closers() {
    return closers;
  }

  boolean isStopping() {
    return phase != Phase.RUNNING;
  }

  boolean isPast() {
    return phase == Phase.PAST_DEADLINE;
  }

  /// Whether the carrier was interrupted, and its interrupt taken for a request.
  boolean consumedInterrupt() {
    return interrupted;
  }

  // ---- what makes it stop ----

  /// Asks the loop to stop, from any thread. Of several requests the earliest deadline counts, and
  /// the first exit code.
  ///
  /// @param code what to exit with, or null when `run` is to return as usual
  /// @param within counted from when the loop takes notice
  public void request(String why, @Nullable Integer code, Duration within) {
    checkDeadline(within);
    post(new Request(why, code == null ? null : new Exit(code, why), within, false));
  }

  /// Refuses a deadline that lies before its call.
  public static void checkDeadline(Duration within) {
    if (within.isNegative()) {
      throw new IllegalArgumentException("a shutdown deadline must not be negative: " + within);
    }
  }

  /// Asks the loop to stop because the JVM does, from any thread.
  void requestForJvm() {
    String why = "the JVM exits";
    post(new Request(why, new Exit(UNKNOWN, why), tree.options().shutdownDeadline(), true));
  }

  /// Asks the loop to stop because the thread that waits for it in the carrier's place was
  /// interrupted; from that thread.
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
    var _ = tree.scheduler().inbox().post(request); // one that comes too late is not needed
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

  /// Stops the loop with an exit code, from one of its coroutines.
  public void exit(int code) {
    StackGuard.requireRoom();
    String why = "exit(" + code + ")";
    stop(stopping(why, null), new Exit(code, why), tree.options().shutdownDeadline());
  }

  /// A member of the root failed, and nobody took it. Further ones come here, too.
  void rootFailed(Throwable failure) {
    rootFailedFirst |= exit == null;
    Duration limit =
        isStopping() ? tree.options().gracePeriod() : tree.options().shutdownDeadline();
    stop(stopping(failure.getClass().getName(), failure), null, limit);
  }

  /// The carrier has left its loop with a failure: nobody runs any more.
  void carrierFailed(Throwable failure) {
    if (defect == null) {
      defect = failure;
    } else {
      FailureTable.merge(defect, failure);
    }
  }

  /// The runtime itself failed, or the JVM.
  void failed(Throwable failure) {
    boolean first = defect == null;
    carrierFailed(failure);
    if (tree.scheduler().hasEnded()) {
      return; // what it left was released, and failed at that
    }
    if (first && !FailureTable.isFatal(failure)) {
      stop(stopping("it has failed", failure), null, tree.options().shutdownDeadline());
    } else {
      tree.scheduler().finish(); // nothing can be relied upon any more
    }
  }

  void carrierInterrupted() {
    interrupted = true;
    stopByInterrupt();
  }

  // on the trampoline, where every stack can be read
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

  /// Nothing is ready, armed or parked by the JDK, and coroutines are left.
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

  // ---- what happens then ----

  private void stop(Cancellation c, @Nullable Exit asked, Duration within) {
    exit = exit == null ? asked : exit;
    try {
      if (phase == Phase.RUNNING) {
        phase = Phase.STOPPING;
        tree.root().cancelMembers(c);
      }
    } finally {
      bringForward(within); // counted from now: before, nobody could clean up
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

  // hidden: neither keeps the loop alive nor counts against a deadlock
  private TimerEvent armed(long by, Runnable whenOver) {
    TimerEvent timer = tree.daemonTimer(by);
    timer.subscribe(new OnExpiry(whenOver));
    timer.start();
    return timer;
  }

  // then whoever is ready gets one turn
  private final class OnExpiry implements InlineCallback {
    private final Runnable task;

    OnExpiry(Runnable task) {
      this.task = task;
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      // stacks are read there
      tree.scheduler().runOnCarrier(() -> tree.scheduler().runAfterRound(task));
    }
  }

  /// The last coroutine has ended, or is not waited for.
  void allHaveEnded() {
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

  /// What the process is likely to exit with.
  int exitCode() {
    return exit == null ? UNKNOWN : exit.code();
  }

  /// Whether the JVM itself is at its end: nothing is to be tried any more.
  boolean isAtOnce() {
    return defect != null && FailureTable.isFatal(defect);
  }

  /// Those who have not ended, and are waited for.
  List<CoroutineNode<?>> remaining() {
    return tree.coroutines().stream().filter(c -> !c.isDone()).toList();
  }

  /// Whether the loop is to sleep when nothing is ready.
  boolean mayWait() {
    return phase != Phase.PAST_DEADLINE || closers.mayWait();
  }

  /// The JDK has parked a coroutine.
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

  /// Whether a context's guest is inside `System.exit`. On the loop.
  public static boolean isInExit(ExecutionContext context) {
    for (StackTraceElement frame : context.stackOnLoop()) {
      if (frame.getClassName().equals("java.lang.Shutdown")) {
        return true;
      }
    }
    return false;
  }

  // ---- what is said at the end ----

  /// Reports those who were not in time.
  ///
  /// @param abandoned who has not ended at all
  /// @param last how they were found; null: none
  void report(List<CoroutineNode<?>> abandoned, @Nullable Dump last) {
    if (deadlock != null) {
      watch.report(deadlock.report());
    }
    OverdueAtDeadline l = overdue;
    if (l != null) {
      String who = count(l.coroutines()) + " did not end " + l.why();
      reporter.report(
          who
              + abandoned(abandoned, last)
              + closers.describeOverdue()
              + describeAtDeadline(l, abandoned),
          null);
    } else if (!abandoned.isEmpty() && !isAtOnce()) {
      reporter.report("the loop has failed" + abandoned(abandoned, last), null);
    }
  }

  private static String abandoned(List<CoroutineNode<?>> abandoned, @Nullable Dump last) {
    return abandoned.isEmpty()
        ? ""
        : "; abandoned "
            + count(abandoned)
            + ": "
            + labels(abandoned)
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

  /// What `run` is to throw; null: it returns main's result.
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
      return; // what the end has brought about is no news: let go, abandoned
    }
    // nor is main's cancellation, but what it carries
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
