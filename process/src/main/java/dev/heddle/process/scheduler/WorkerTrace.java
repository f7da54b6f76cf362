// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import dev.heddle.observe.trace.TraceCodes;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.process.scheduler.Task.StepResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes what a worker does into a ring, while an observer records a trace; or what all threads do
/// that are no workers, those of timers, of loops and of commands.
///
/// Each entry has a reading of the clock of its own: an arrow from one worker to another must not
/// go back in time. But a run of the task that this worker has woken last begins where the run
/// before it has ended, if that task has not run since: nothing but its choice is between the two.
///
/// **Thread** the worker, or the body that it has mounted; that of others any.
public final class WorkerTrace implements WorkObserver {
  /// What the codes of entries stand for; the others are classes of commands.
  public static final List<String> CODES =
      List.of(
          "",
          "message",
          "command or signal",
          "spawn",
          "ends",
          "failed",
          "yields",
          "command or message",
          "command",
          "fails",
          "fails with a linked process",
          "is shut down",
          "is terminated",
          "is abandoned");

  private static final int NONE = 0;
  private static final int BY_MESSAGE = 1;
  private static final int BY_COMMAND = 2;
  private static final int ENDS = 4;
  private static final int FAILED = 5;
  private static final int YIELDS = 6;
  private static final int ANY = 7;
  private static final int COMMAND = 8;
  private static final int MOST_TASKS = (1 << 16) - 1; // a code has 16 bits

  private final TraceRing ring;
  private final TraceCodes codes = new TraceCodes(CODES.size());
  private final @Nullable SpinLock lock; // null: one thread writes

  // the worker; others read values of a moment ago
  private long since = System.nanoTime();
  private long running; // 0: none, or one whose beginning was not seen
  private long firstPick; // of the worker's counter; 0: none yet
  private long lastPick;

  // the worker
  private long sentAt; // the last entry is that of a message, for `sentTo`; else 0
  private long sentTo;
  private boolean isFresh; // no entry was added since the run has begun
  private int issued; // the last command of the run; 0: none
  private @Nullable Task woken; // last in the run that runs now, or in the last one; null: none
  private long stepsOfWoken; // when it was woken

  /// The trace of a worker.
  WorkerTrace(TraceRing ring) {
    this(ring, null);
  }

  private WorkerTrace(TraceRing ring, @Nullable SpinLock lock) {
    this.ring = ring;
    this.lock = lock;
  }

  /// The trace of all other threads.
  static WorkerTrace ofOthers(TraceRing ring) {
    return new WorkerTrace(ring, new SpinLock());
  }

  public TraceRing ring() {
    return ring;
  }

  /// The classes that the codes after the fixed ones stand for.
  public List<Class<?>> kinds() {
    return codes.kinds();
  }

  /// The number of runs that have begun, by the worker's own counter; for other threads as of a
  /// moment ago.
  public long executed() {
    return firstPick == 0 ? 0 : lastPick - firstPick + 1;
  }

  /// The process that runs now, or 0; for other threads as of a moment ago.
  public long running() {
    return running;
  }

  /// When that began; else the end of the last run or sleep.
  public long since() {
    return since;
  }

  private void add(TraceKind kind, int code, long who, long other) {
    sentAt = 0;
    isFresh = false;
    if (lock == null) {
      ring.add(System.nanoTime(), kind, code, who, other);
      return;
    }
    lock.lock();
    try {
      ring.add(System.nanoTime(), kind, code, who, other); // in the order of the ring
    } finally {
      lock.unlock();
    }
  }

  // ---- runs ----

  @Override
  public void runBegins(Task task, long picks) {
    if (firstPick == 0) {
      firstPick = picks;
    }
    lastPick = picks;
    boolean follows = task == woken && task.steps() == stepsOfWoken;
    since = follows ? since + 1 : System.nanoTime(); // later: what has woken it is not in its run
    woken = null;
    running = task.number();
    isFresh = true;
    issued = 0;
  }

  /// What a run is given first has the time of its beginning, which saves a reading.
  @Override
  public void received(Node item) {
    long at = isFresh ? since : System.nanoTime();
    isFresh = false;
    sentAt = 0;
    ring.add(at, TraceKind.RECEIVED, NONE, running, System.identityHashCode(item));
  }

  @Override
  public void runEnds(Task task, StepResult how) {
    long now = System.nanoTime();
    if (how == StepResult.DONE) {
      int outcome = Math.max(NONE, CODES.indexOf(task.outcome()));
      ring.addNamed(now, TraceKind.END, outcome, task.number(), 0, task.label());
    }
    int code =
        switch (how) {
          case DONE -> ENDS;
          case CONTINUE -> YIELDS;
          case IDLE -> BY_MESSAGE;
          case WAIT -> ANY;
          case WAIT_FOR_COMMANDS -> issued == NONE ? COMMAND : issued;
        };
    ring.add(now, TraceKind.RUN, code, task.number(), since);
    sentAt = 0;
    running = 0;
    since = now;
  }

  @Override
  public void sleeps() {
    since = System.nanoTime();
  }

  @Override
  public void slept() {
    long now = System.nanoTime();
    ring.add(now, TraceKind.SLEEP, NONE, 0, since);
    since = now;
  }

  @Override
  public void stole(Task first, int tasks, int from) {
    add(TraceKind.STEAL, Math.min(MOST_TASKS, tasks), first.number(), from);
  }

  // ---- what is done for others ----

  /// The number of a message is the hash that the JVM gives its node: nothing that is in a mailbox
  /// has a place for one.
  @Override
  public void sent(Task to, @Nullable Node item) {
    int message = item == null ? 0 : System.identityHashCode(item);
    if (lock == null) {
      sentAt = System.nanoTime();
      sentTo = to.number();
      isFresh = false;
      ring.addMessage(sentAt, sentTo, running, message);
      return;
    }
    lock.lock();
    try {
      ring.addMessage(System.nanoTime(), to.number(), 0, message);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void woke(Task task, int why) {
    if (running != 0) {
      woken = task;
      stepsOfWoken = task.steps();
    }
    if (why == Task.BY_MESSAGE && lock == null && sentAt != 0 && sentTo == task.number()) {
      ring.add(sentAt, TraceKind.WAKE, BY_MESSAGE, sentTo, running); // saves a reading
      sentAt = 0;
    } else if (why == WakeUpJournal.IS_READY) {
      add(TraceKind.SPAWN, NONE, task.number(), running);
    } else {
      add(TraceKind.WAKE, why == Task.BY_MESSAGE ? BY_MESSAGE : BY_COMMAND, task.number(), running);
    }
  }

  @Override
  public void issued(Task by, Class<?> command, long tag) {
    if (lock == null) {
      issued = codes.of(command);
      add(TraceKind.COMMAND, issued, by.number(), tag);
      return;
    }
    lock.lock();
    try {
      ring.add(System.nanoTime(), TraceKind.COMMAND, codes.of(command), by.number(), tag);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void completed(Task of, long tag, boolean failed) {
    add(TraceKind.COMMAND_DONE, failed ? FAILED : NONE, of.number(), tag);
  }

  @Override
  public void restarts() {
    add(TraceKind.RESTART, NONE, running, 0);
  }
}
