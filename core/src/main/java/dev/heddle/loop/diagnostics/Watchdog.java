// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.internal.DaemonThread;
import dev.heddle.observe.attach.AttachPoll;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.jfr.LoopJfrEvents;
import dev.heddle.observe.log.AsyncLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The single thread of a JVM that monitors its loops: for coroutines that hold one, and for tools
/// that observe one.
final class Watchdog implements Runnable {
  /*
   * A round consists of the queued tasks (JDK queries that take locks), a sample of each loop
   * (HoldDetector), and once a second a check for observers (AttachPoll), management tools and
   * flight recordings. Management and recordings cost a third of a second of CPU to start, so a
   * loop never starts them: it joins when the program or a tool has started them.
   *
   * It has a thread beside it, BlockedThreads, which must not wait where the watchdog may.
   *
   * It runs no user code: log lines, listeners of reports and of the MBean server are called on the
   * loop's log thread (AsyncLog). So none of them delays or ends its next round.
   *
   * States.
   *   from     event                            to       who, order
   *   SAMPLING  every loop has slept for half    RESTING   itself: volatile store, then checks
   *             a second                                   every loop
   *   RESTING   a loop is awake, a task, a       SAMPLING  itself; onLoopWake() by the carrier,
   *             second                                     after its own volatile store
   *   any       no loop is left for five         GONE      itself: CAS on the registry
   *             seconds, and none has ended
   *             with a deadlock for an hour
   *             (EndedLoops)
   *   any       its thread dies (out of memory)  DEAD      itself: stores null and `resting`,
   *                                                        starts another one
   *   DEAD      a loop begins or has slept, a    SAMPLING  any thread: CAS on `thread`; the
   *             task                                       winner starts it
   *
   * Threads. watch(), unwatch(), onLoopWake(), execute(): any. Everything else: its own thread.
   *
   * I1. While a loop runs, exactly one watchdog samples it: the thread that adds the first loop to
   *     the registry adds the watchdog with the same CAS, and the watchdog leaves by a CAS that
   *     fails if a loop was added. [HoldReportTest]
   * I2. A failure in a round does not prevent the next one. [HoldReportTest]
   * I3. For an hour after a deadlock that has ended a loop, observers are served: stay() replaces
   *     the registry after the deadlock was kept, so a CAS of one that saw none fails.
   *     [EndedLoopIT, EndedLoopsTest]
   *
   * Memory order. Carrier: volatile store of AWAKE (Wakeup), then the volatile read of `resting`.
   * Watchdog: volatile store of `resting`, then the volatile read of that state. One of the two
   * sees the other's write, so no hold begins unobserved while it rests. The samples themselves are
   * plain reads: a stale count is compared with the next one.
   *
   * Cost. For a loop: a volatile read when it wakes from a sleep, nothing for a switch. For the
   * machine: two samples per hold limit while a loop is busy, one round a second while all are
   * idle, or in the hour after a deadlock.
   *
   * Rejected. A thread for each loop: no gain. Sampling all the time: ten wake-ups a second in an
   * idle program. A clock read for each dispatch: a fifth of a switch.
   */
  private static final long REST_NANOS = 1_000_000_000;
  private static final long UNTIL_REST_NANOS = 500_000_000; // bridges a busy server's pauses
  private static final long RETRY_NANOS = 100_000_000; // avoids a busy loop of failures
  private static final long LINGER_NANOS = 5_000_000_000L; // keeps the thread between tests

  private record Watched(List<LoopDiagnostics> loops, @Nullable Watchdog by) {}

  private static final AtomicReference<Watched> WATCHED =
      new AtomicReference<>(new Watched(List.of(), null));

  // any thread, CAS; null: no thread
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

  // any thread
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  // written by its thread, read by carriers
  private volatile boolean resting;

  // its thread only
  private boolean terminated;
  private @Nullable Thread blockedThreads; // null: not started, or not needed
  private long awakeAt = System.nanoTime();
  private long registeredAt = awakeAt - REST_NANOS;
  private long polledAt = awakeAt; // a program shorter than a second pays nothing

  private Watchdog() {}

  // ---- any thread ----

  static Watchdog watch(LoopDiagnostics loop) {
    EndedLoops.onKept(Watchdog::stay);
    while (true) {
      Watched before = WATCHED.get();
      Watchdog dog = before.by() == null ? new Watchdog() : before.by();
      List<LoopDiagnostics> more = new ArrayList<>(before.loops());
      more.add(loop);
      if (WATCHED.compareAndSet(before, new Watched(List.copyOf(more), dog))) {
        dog.wake();
        return dog;
      }
    }
  }

  static void unwatch(LoopDiagnostics loop) {
    WATCHED.updateAndGet(watched ->
        new Watched(watched.loops().stream().filter(l -> l != loop).toList(), watched.by()));
  }

  /// Serves observers though no loop may be left: there is a deadlock that they may ask for.
  static void stay() {
    while (true) {
      Watched before = WATCHED.get();
      Watchdog dog = before.by() == null ? new Watchdog() : before.by();
      if (WATCHED.compareAndSet(before, new Watched(before.loops(), dog))) {
        dog.wake();
        return;
      }
    }
  }

  static List<LoopDiagnostics> loops() {
    return WATCHED.get().loops();
  }

  void onLoopWake() {
    if (resting) {
      wake();
    }
  }

  /// Runs `task` on the watchdog's thread: a JDK query that takes locks.
  void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  private void wake() {
    Thread running = thread.get();
    if (running != null) {
      LockSupport.unpark(running);
      return;
    }
    try {
      Thread fresh = DaemonThread.of("heddle-watchdog", this);
      if (thread.compareAndSet(null, fresh)) {
        start(fresh);
      }
    } catch (OutOfMemoryError _) {
      // safe: the next loop that begins or wakes tries again
    }
  }

  private void start(Thread fresh) {
    try {
      BlockedThreads.prepare();
      DaemonThread.start(fresh);
    } catch (Throwable e) {
      thread.set(null);
      throw e;
    }
  }

  // ---- its own thread ----

  @Override
  public void run() {
    try {
      guarded(this::watchBlockedThreads); // first: all else may wait for a monitor
      Attachables.announceLoops();
      while (!terminated) {
        boolean _ = guarded(this::runOnce);
      }
    } finally {
      resting = !terminated; // if no thread can be started now, a waking loop starts one
      thread.set(null);
      if (!terminated) {
        wake();
      }
    }
  }

  private boolean watchBlockedThreads() {
    Thread before = blockedThreads;
    if (before == null || !before.isAlive()) {
      blockedThreads = BlockedThreads.start(Thread.currentThread());
    }
    return true;
  }

  private boolean runOnce() {
    Watched now = WATCHED.get();
    if (now.loops().isEmpty()) {
      terminated = hasLeft();
    } else {
      sampleAll(now.loops());
    }
    return !terminated;
  }

  private boolean hasLeft() {
    runTasks();
    Watched now = linger();
    if (!now.loops().isEmpty() || !tasks.isEmpty() || EndedLoops.areServed()) {
      return false;
    }
    // before the CAS: after it the next watchdog may have announced itself
    Attachables.withdrawLoops();
    if (WATCHED.compareAndSet(now, new Watched(List.of(), null))) {
      return true;
    }
    Attachables.announceLoops();
    return false;
  }

  private Watched linger() {
    long end = System.nanoTime() + LINGER_NANOS;
    Watched now = WATCHED.get();
    while (now.loops().isEmpty() && tasks.isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(this, REST_NANOS);
      pollIfDue(System.nanoTime()); // else an observer would get no reply
      now = WATCHED.get();
    }
    return now;
  }

  private void pollIfDue(long now) {
    if (now - polledAt >= REST_NANOS) {
      polledAt = now;
      AttachPoll.poll();
    }
  }

  private void sampleAll(List<LoopDiagnostics> loops) {
    runTasks();
    long now = System.nanoTime();
    long pause = REST_NANOS;
    for (LoopDiagnostics loop : loops) {
      if (guarded(() -> loop.holds().sample(now))) {
        awakeAt = now;
      }
      pause = Math.min(pause, loop.holds().period());
    }
    if (now - registeredAt >= REST_NANOS) {
      registeredAt = now;
      guarded(this::watchBlockedThreads);
      guarded(() -> registerBeans(loops));
    }
    guarded(() -> {
      pollIfDue(now);
      return true;
    });
    if (pause == REST_NANOS || now - awakeAt < UNTIL_REST_NANOS) {
      LockSupport.parkNanos(this, pause);
    } else {
      rest(loops);
    }
  }

  private void rest(List<LoopDiagnostics> loops) {
    long began = System.nanoTime();
    resting = true;
    if (loops.stream().allMatch(LoopDiagnostics::isAsleep)) {
      LockSupport.parkNanos(this, REST_NANOS);
    }
    resting = false;
    long now = System.nanoTime();
    if (now - began < REST_NANOS) {
      // woken by a loop: one that wakes and sleeps at once must not do this each time
      awakeAt = now;
    }
  }

  private boolean registerBeans(List<LoopDiagnostics> loops) {
    boolean recording = LoopJfrEvents.areRecorded();
    boolean switches = LoopJfrEvents.switchesAreWanted();
    for (LoopDiagnostics loop : loops) {
      loop.record(recording);
      loop.recordSwitches(switches);
      loop.registerBean();
    }
    return recording;
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      Runnable next = task;
      guarded(() -> {
        next.run();
        return true;
      });
    }
  }

  // safe: a failed check, for lack of memory or stack, must not end the watchdog
  private static boolean guarded(BooleanSupplier step) {
    try {
      return step.getAsBoolean();
    } catch (Throwable e) {
      AsyncLog.shared().warning("the watchdog continues after a failure", e);
      LockSupport.parkNanos(RETRY_NANOS);
      return false;
    }
  }
}
