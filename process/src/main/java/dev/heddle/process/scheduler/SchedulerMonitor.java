// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.observe.attach.AttachPoll;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Looks at busy workers every millisecond: a task behind a long step gets another worker, a
/// sleeper is woken for what its owner has missed to tell, a body that may go on while no worker
/// gets on has a spare, and a step that lasts too long is reported. Sleeps while all workers do,
/// but for once a second, when it looks for observers of this JVM.
final class SchedulerMonitor {
  /*
   * States.  from    event                                    to      who, order
   *          ASLEEP  onWorkerWake()                                   AWAKE   a worker that was woken: CAS; the winner unparks
   *          AWAKE   all workers asleep for IDLE_CHECKS_BEFORE_SLEEP looks      ASLEEP  itself: volatile store, then looks once more
   *
   * A worker stirs after it has left the sleepers; the lookout counts who is awake after it has
   * said that it sleeps. So either the worker sees ASLEEP, or the lookout sees the worker.
   *
   * Why it exists. A worker puts what its step has woken into its own deque and wakes nobody for
   * the first one: it will run that a moment later itself. When the step goes on for long,
   * somebody has to notice. And an owner may miss that it has come to have tasks to spare:
   * Parking, I4. P6.
   *
   * Want of memory. Its loop catches whatever a look throws, and begins the next. Ends that lack
   * memory (WorkScheduler.finishLater) it gives to the workers once more, every CHECKS_PER_RETRY;
   * while there are such it does not fall asleep. A report that lacks memory is tried at the next
   * look.
   *
   * It waits for nobody, and runs nobody's code: reports go to a thread of their own. A log is
   * written under a lock, and that may be what the workers stand behind. It goes on after the
   * halt, until the workers have ended: their last steps may stand behind it too.
   *
   * Rejected. A wake-up for each task: the woken worker carries it off before its waker, which has
   * its data in the cache, gets to it. A look by each worker while it sleeps: nobody looks when
   * none does.
   */
  private static final long CHECK_NANOS = 1_000_000; // a fifth of the longest wait we promise
  private static final int CHECKS_PER_SECOND = 1_000; // at most
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final int REPORTS = 1_000; // that wait for a handler or a log; more are dropped
  private static final int REPORTS_SECONDS = 10; // after the last one their thread ends
  private static final int CHECKS_PER_RETRY =
      10; // of ends that lack memory: a collection of the garbage takes about as long
  private static final int IDLE_CHECKS_BEFORE_SLEEP =
      50; // looks at sleepers only, before it sleeps too
  private static final VarHandle AWAKE;

  static {
    try {
      AWAKE = MethodHandles.lookup().findVarHandle(SchedulerMonitor.class, "awake", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final WorkScheduler scheduler;
  private final Thread thread;
  private final ThreadPoolExecutor reports;
  private final LongStepHandler longSteps;
  private final long longStepNanos;

  // any thread, CAS
  private volatile boolean awake = true;

  // the lookout
  private int checks;
  private int idleChecks; // looks in a row that have found sleepers only

  SchedulerMonitor(
      WorkScheduler scheduler, String name, LongStepHandler longSteps, long longStepNanos) {
    this.scheduler = scheduler;
    this.longSteps = longSteps;
    this.longStepNanos = longStepNanos;
    this.thread = new Thread(null, this::runGuarded, name, 0, false);
    thread.setDaemon(true);
    this.reports =
        new ThreadPoolExecutor(
            1,
            1,
            REPORTS_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(REPORTS),
            Thread.ofPlatform().daemon().name(name + "-reports").factory(),
            new ThreadPoolExecutor.DiscardPolicy());
    reports.allowCoreThreadTimeOut(true);
  }

  void start() {
    thread.start();
  }

  /// A worker has woken.
  void onWorkerWake() {
    if (!awake && (boolean) AWAKE.compareAndSet(this, false, true)) {
      LockSupport.unpark(thread);
    }
  }

  /// Not one method with [#loop]: as [Worker] has it, and for the same reason.
  private void runGuarded() {
    boolean ends = false;
    while (!ends) {
      try {
        loop();
        ends = true;
      } catch (Throwable t) {
        idleChecks = 0; // tasks need its next look, whatever this one has met
        logSafely(t);
      }
    }
    scheduler.compensating().update(false, System.nanoTime());
    reports.shutdown(); // what has been reported is still told
  }

  private void loop() {
    while (!scheduler.isHalted() || scheduler.isAlive()) {
      runOnce();
    }
  }

  private void runOnce() {
    if (idleChecks > IDLE_CHECKS_BEFORE_SLEEP) {
      sleepUntilWoken();
      idleChecks = 0;
    }
    LockSupport.parkNanos(
        this, scheduler.isHalted() ? CompensatingWorkers.PATIENCE_NANOS : CHECK_NANOS);
    idleChecks = scheduler.parking().awakeCount() == 0 ? idleChecks + 1 : 0;
    checks++;
    if (checks % CHECKS_PER_RETRY == 0) {
      scheduler.retryUnfinishedEnds();
    }
    check(System.nanoTime());
    if (checks % CHECKS_PER_SECOND == 0) {
      secondPassed();
    }
  }

  /// Has a failure logged; never throws, also when there is no memory to say so.
  private void logSafely(Throwable t) {
    try {
      submitReport(() -> failed(t));
    } catch (Throwable _) {
      return; // safe: the next look is worth more than these words
    }
  }

  private void sleepUntilWoken() {
    awake = false;
    if (scheduler.parking().awakeCount() > 0 || scheduler.hasUnfinished()) {
      awake = true;
      return;
    }
    while (!awake && !scheduler.isHalted()) {
      LockSupport.parkNanos(this, SECOND_NANOS);
      if (!awake) {
        secondPassed(); // tools may have come to look at a runtime that is idle
      }
    }
  }

  private void check(long now) {
    boolean heldUp = true;
    Worker longest = null;
    for (Worker worker : scheduler.workers()) {
      if (hasProgressed(worker, now)) {
        heldUp = false;
        continue;
      }
      worker.releaseLast();
      Burst burst = worker.burst();
      if (burst != null) {
        burst.wakeReceiver(scheduler);
      }
      heldUp &= now - worker.seenSinceNanos >= CompensatingWorkers.PATIENCE_NANOS;
      longest = isToBeReported(worker, now) ? worker : longest;
    }
    if (scheduler.hasWork()) { // given away just now, or see I4 of Parking
      scheduler.parking().wakeOne();
    }
    scheduler.compensating().update(heldUp, now);
    for (Worker spare : scheduler.compensating().running()) {
      if (!hasProgressed(spare, now) && isToBeReported(spare, now)) {
        longest = spare;
      }
    }
    if (longest != null) { // one a look, and last: a report allocates
      report(longest, now - longest.seenSinceNanos);
      longest.seenReported = true;
    }
  }

  /// Whether it runs something else than at the look before, or nothing.
  private static boolean hasProgressed(Worker worker, long now) {
    boolean runs = worker.running() != null; // before its picks: Worker.run
    long picks = worker.picks();
    if (picks == worker.seenPicks && runs) {
      return false;
    }
    worker.seenPicks = picks;
    worker.seenSinceNanos = now;
    worker.seenReported = false;
    return true;
  }

  private boolean isToBeReported(Worker worker, long now) {
    return !worker.seenReported && now - worker.seenSinceNanos >= longStepNanos;
  }

  private void report(Worker worker, long nanos) {
    Task task = worker.running();
    if (task != null) {
      StackTraceElement[] stack = worker.stack();
      if (worker.running() == task) { // else the stack may be another's
        submitReport(() -> longSteps.longStep(task, worker, nanos, stack));
      }
    }
  }

  private void secondPassed() {
    AttachPoll.poll(); // here, for the thread of the reports may stand in a handler
    if (reports.getQueue().isEmpty()) {
      submitReport(longSteps::secondPassed);
    }
  }

  /// On the thread of reports; dropped when there is no thread to be had.
  private void submitReport(Runnable report) {
    try {
      reports.execute(() -> {
        try {
          report.run();
        } catch (Throwable t) {
          failed(t);
        }
      });
    } catch (OutOfMemoryError _) {
      return; // the next look is worth more than this report
    }
  }

  private static void failed(Throwable t) {
    UninterruptibleLog.write(Level.ERROR, "the scheduler monitor continues after a failure", t);
  }

  void wake() {
    LockSupport.unpark(thread);
  }
}
