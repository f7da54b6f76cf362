// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import dev.heddle.observe.trace.TraceCodes;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes what a worker does into a ring, while an observer records a trace; or what all threads do
/// that are no workers, those of timers, of loops and of commands.
///
/// Each entry has a reading of the clock of its own: an arrow from one worker to another must not
/// go back in time.
///
/// **Thread** the worker, or the body that it has mounted; that of others any.
public final class WorkerTrace {
  /// What the codes of entries stand for; the others are classes of commands.
  public static final List<String> CODES =
      List.of("", "message", "command or signal", "spawn", "ends", "failed");

  private static final int NONE = 0;
  private static final int BY_MESSAGE = 1;
  private static final int BY_COMMAND = 2;
  private static final int BY_SPAWN = 3;
  private static final int ENDS = 4;
  private static final int FAILED = 5;

  private final TraceRing ring;
  private final TraceCodes codes = new TraceCodes(CODES.size());
  private final @Nullable SpinLock lock; // null: one thread writes

  // the worker; others read values of a moment ago
  private long since = System.nanoTime();
  private long running; // 0: none, or one whose beginning was not seen
  private long firstPick; // of the worker's counter; 0: none yet
  private long lastPick;

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

  void runBegins(Task task, long picks) {
    if (firstPick == 0) {
      firstPick = picks;
    }
    lastPick = picks;
    since = System.nanoTime();
    running = task.number();
  }

  /// The run that has begun ends.
  ///
  /// @param ended whether it was the task's last
  void runEnds(Task task, boolean ended) {
    long now = System.nanoTime();
    if (ended) {
      ring.addNamed(now, TraceKind.END, NONE, task.number(), 0, task.label());
    }
    ring.add(now, TraceKind.RUN, ended ? ENDS : NONE, task.number(), since);
    running = 0;
    since = now;
  }

  void sleeps() {
    since = System.nanoTime();
  }

  void slept() {
    long now = System.nanoTime();
    ring.add(now, TraceKind.SLEEP, NONE, 0, since);
    since = now;
  }

  void stole(Task task, int from) {
    add(TraceKind.STEAL, NONE, task.number(), from);
  }

  // ---- what is done for others ----

  void sent(Task to) {
    add(TraceKind.MESSAGE, NONE, to.number(), running);
  }

  void woke(Task task, int why) {
    int code = why == Task.BY_MESSAGE ? BY_MESSAGE : why == Task.BY_COMMAND ? BY_COMMAND : BY_SPAWN;
    add(TraceKind.WAKE, code, task.number(), running);
  }

  /// A process issues a command, in its step.
  void issued(Task by, Class<?> command, long tag) {
    add(TraceKind.COMMAND, codes.of(command), by.number(), tag);
  }

  void completed(Task of, long tag, boolean failed) {
    add(TraceKind.COMMAND_DONE, failed ? FAILED : NONE, of.number(), tag);
  }
}
