// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import dev.heddle.observe.attach.AttachPoll;
import dev.heddle.observe.trace.TraceTicks;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The thread that checks busy workers every millisecond, as Go's sysmon does.
///
/// It gives a task behind a long step to another worker, wakes a parked worker for tasks that an
/// owner has failed to announce, starts compensating workers for resumable fibers while no worker
/// makes progress, reports steps that last too long, and ticks for those who look ([TraceTicks]).
/// It sleeps while all workers are parked, except that it checks once a second whether a tool
/// observes this JVM.
final class SchedulerMonitor {
  /*
   * States.  from    event                                   to      by, with
   *          ASLEEP  onWorkerWake()                          AWAKE   a worker that was woken: CAS;
   *                                                                  the winner unparks
   *          AWAKE   all workers parked for more than        ASLEEP  itself: volatile store; then
   *                  IDLE_CHECKS_BEFORE_SLEEP checks                 it counts them once more
   *
   * A worker calls onWorkerWake() after it has left the parked workers. The monitor counts the
   * workers that are awake after it has stored ASLEEP. So either the worker sees ASLEEP, or the
   * monitor sees the worker.
   *
   * A worker wakes no other worker for the first task of its deque, because it will run that a
   * moment later itself. If its step lasts long, another thread has to notice: I4 of Parking, which
   * also defines "stealable" and "overdue".
   *
   * Out of memory. The loop catches whatever a check throws, and begins the next one. Every
   * CHECKS_PER_RETRY checks it requeues the ends that lack memory (WorkScheduler.finishLater);
   * while there are any, it does not sleep. A report that lacks memory is tried again at the next
   * check.
   *
   * It never blocks and runs no user code: reports go to a thread of their own, because a log is
   * written under a lock, and the workers may be waiting for that very lock. It continues after
   * halt() until the workers have ended: their last steps may wait for a lock too.
   *
   * Rejected. A wake-up for each task: the woken worker takes it away before its waker, whose
   * caches hold its data, gets to it. Checks by the workers before they park: none checks while
   * none parks.
   *
   * Sources. P6.
   */
  // a fifth of the longest guaranteed wait
  private static final long CHECK_NANOS = TraceTicks.NANOS;
  private static final int CHECKS_PER_SECOND = 1_000; // at most
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final int REPORTS = 1_000; // queued at most; more are dropped
  private static final int REPORTS_SECONDS = 10; // their thread ends so long after the last one
  private static final int CHECKS_PER_RETRY =
      10; // of ends that lack memory: a garbage collection takes about as long
  private static final int IDLE_CHECKS_BEFORE_SLEEP = 50; // with all workers parked
  private static final VarHandle AWAKE = VarHandles.find(lookup(), "awake", boolean.class);

  private final WorkScheduler scheduler;
  private final CompensatingWorkers compensating;
  private final Thread thread;
  private final ThreadPoolExecutor reports;
  private final LongStepHandler longSteps;
  private final long longStepNanos;

  // any thread, CAS
  private volatile boolean awake = true;

  // its thread
  private int checks;
  private int idleChecks; // in a row, with all workers parked

  SchedulerMonitor(
      WorkScheduler scheduler,
      CompensatingWorkers compensating,
      String name,
      LongStepHandler longSteps,
      long longStepNanos) {
    this.scheduler = scheduler;
    this.compensating = compensating;
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

  /// Whether it sleeps until a worker wakes, but for a look once a second. **Thread** any.
  boolean isAsleep() {
    return !awake;
  }

  void onWorkerWake() {
    if (!awake && (boolean) AWAKE.compareAndSet(this, false, true)) {
      LockSupport.unpark(thread);
    }
  }

  /// Apart from [#loop] for the reason that [Worker] gives at its method of this name.
  private void runGuarded() {
    boolean ends = false;
    while (!ends) {
      try {
        loop();
        ends = true;
      } catch (Throwable t) {
        idleChecks = 0; // it must not sleep now: tasks need the next check
        logSafely(t);
      }
    }
    compensating.update(false, System.nanoTime());
    reports.shutdown(); // queued reports are still delivered
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
    scheduler.ticks.tick();
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

  /// Reports a failure; never throws, even without memory.
  private void logSafely(Throwable t) {
    try {
      submitReport(() -> failed(t));
    } catch (Throwable _) {
      return; // safe: the next check matters more than this message
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
        secondPassed(); // a tool may attach to an idle runtime
        wakeIfThereIsWork();
      }
    }
  }

  private void wakeIfThereIsWork() {
    if (scheduler.hasWork()) {
      scheduler.parking().wakeOne();
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
        scheduler.wakeReceiver(burst);
      }
      heldUp &= now - worker.seenSinceNanos >= CompensatingWorkers.PATIENCE_NANOS;
      longest = isToBeReported(worker, now) ? worker : longest;
    }
    wakeIfThereIsWork(); // released by releaseLast() just now, or I4 of Parking
    compensating.update(heldUp, now);
    Set<Worker> extras = compensating.running();
    if (!extras.isEmpty()) { // else an iterator would be all that a check allocates
      for (Worker extra : extras) {
        if (!hasProgressed(extra, now) && isToBeReported(extra, now)) {
          longest = extra;
        }
      }
    }
    if (longest != null) { // one report for each check, at its end: a report allocates
      report(longest, now - longest.seenSinceNanos);
      longest.seenReported = true;
    }
  }

  /// Whether it is idle, or has begun another run since the last check.
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
    StackTraceElement[] stack = task == null ? null : worker.stackIn(task);
    if (task != null && stack != null) {
      submitReport(() -> longSteps.longStep(task, worker.thread(), nanos, stack));
    }
  }

  private void secondPassed() {
    AttachPoll.poll(); // here: a handler may block the thread for reports
    if (reports.getQueue().isEmpty()) {
      submitReport(longSteps::secondPassed);
    }
  }

  /// Runs a report on the thread for reports; drops it when no thread can be started.
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
      return; // the next check matters more than this report
    }
  }

  private static void failed(Throwable t) {
    UninterruptibleLog.write(Level.ERROR, "the scheduler monitor continues after a failure", t);
  }

  void wake() {
    LockSupport.unpark(thread);
  }
}
