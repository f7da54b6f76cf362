// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.util.List;

/// Writes what a worker does into a ring, while an observer records a trace.
///
/// Each entry has a reading of the clock of its own: an arrow from one worker to another must not
/// go back in time.
///
/// **Thread** the worker, or the body that it has mounted.
public final class WorkerTrace {
  /// What the codes of entries stand for.
  public static final List<String> CODES = List.of("", "message", "command", "spawn", "ends");

  private static final int NONE = 0;
  private static final int BY_MESSAGE = 1;
  private static final int BY_COMMAND = 2;
  private static final int BY_SPAWN = 3;
  private static final int ENDS = 4;

  private final TraceRing ring;

  // the worker
  private long since = System.nanoTime();
  private long running; // 0: none, or one whose beginning was not seen
  private long firstPick; // of the worker's counter; 0: none yet
  private long lastPick;

  WorkerTrace(TraceRing ring) {
    this.ring = ring;
  }

  public TraceRing ring() {
    return ring;
  }

  /// The number of runs that have begun, by the worker's own counter; for other threads as of a
  /// moment ago.
  public long executed() {
    return firstPick == 0 ? 0 : lastPick - firstPick + 1;
  }

  void runBegins(Task task, long picks) {
    if (firstPick == 0) {
      firstPick = picks;
    }
    lastPick = picks;
    running = task.number();
    since = System.nanoTime();
  }

  void runEnds(Task task) {
    long now = System.nanoTime();
    boolean ended = task.isComplete();
    if (ended) {
      ring.addNamed(now, TraceKind.END, NONE, task.number(), 0, task.label());
    }
    ring.add(now, TraceKind.RUN, ended ? ENDS : NONE, task.number(), since);
    running = 0;
    since = now;
  }

  void slept() {
    long now = System.nanoTime();
    ring.add(now, TraceKind.SLEEP, NONE, 0, since);
    since = now;
  }

  void stole(Task task, int from) {
    ring.add(System.nanoTime(), TraceKind.STEAL, NONE, task.number(), from);
  }

  void sent(Task to) {
    ring.add(System.nanoTime(), TraceKind.MESSAGE, NONE, to.number(), running);
  }

  void woke(Task task, int why) {
    int code = why == Task.BY_MESSAGE ? BY_MESSAGE : why == Task.BY_COMMAND ? BY_COMMAND : BY_SPAWN;
    ring.add(System.nanoTime(), TraceKind.WAKE, code, task.number(), running);
  }
}
