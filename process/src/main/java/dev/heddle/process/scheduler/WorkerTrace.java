// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import dev.heddle.observe.trace.TraceCodes;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.process.scheduler.Task.StepResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes what a worker does into a ring, while an observer records a trace; or what all threads do
/// that are no workers, those of timers, of loops and of commands.
///
/// **Time.** A reading of the clock takes a third of a short run. Each run has one at its end.
/// While runs are short, one begins where the last has ended, unless its task is from where other
/// workers put theirs; and what a run sends and wakes is said to be done at its beginning, a
/// nanosecond after the other. A thread ticks ([TraceTicks]), and what follows a tick reads the
/// clock: so that is early by a millisecond at most where a long run is among short ones. Nothing
/// is late. So an arrow from one worker to another goes back by the choice of a task at most, which
/// the reader of the trace mends.
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
  static final int BY_MESSAGE = 1;
  private static final int BY_COMMAND = 2;
  private static final int ENDS = 4;
  private static final int FAILED = 5;
  private static final int YIELDS = 6;
  private static final int ANY = 7;
  private static final int COMMAND = 8;
  private static final long SHORT = 400; // nanoseconds of a run
  private static final int MOST_TASKS = (1 << 16) - 1; // a code has 16 bits

  private final TraceRing ring;
  private final TraceCodes codes = new TraceCodes(CODES.size());
  private final TraceTicks ticks;
  private final @Nullable SpinLock lock; // null: one thread writes
  private final int numbers; // the difference between two of them

  // the worker; others read values of a moment ago
  private long since = System.nanoTime();
  private long running; // 0: none, or one whose beginning was not seen
  private int received; // what the run was given at its beginning, not recorded yet; 0: nothing
  // the worker, by its own counters; others read values of a moment ago; 0: none yet
  private long firstPick;
  private long lastPick;
  private long firstPark;
  private long lastPark;
  private long stolenBefore;
  private long stolenAfter;

  // the worker
  private long sentTo; // the last entry is that of a message for this; else 0
  private boolean isFresh; // no entry was added since the run has begun
  private int issued; // the last command of the run; 0: none
  private long now = since; // the last time that was given
  private int seen; // ticks, at the last reading
  private boolean areShort; // runs: the last one was

  // its thread; under the lock
  private int number; // of the last message

  private WorkerTrace(
      int entries, TraceTicks ticks, int first, int numbers, @Nullable SpinLock lock) {
    this.ring = new TraceRing(entries, BY_MESSAGE);
    this.ticks = ticks;
    this.number = first;
    this.numbers = numbers;
    this.lock = lock;
  }

  /// The trace of a worker.
  ///
  /// @param entries of its ring, a power of two
  /// @param first the number before that of the first message
  /// @param rings how many there are, each with another `first` in a row
  static WorkerTrace of(int entries, TraceTicks ticks, int first, int rings) {
    return new WorkerTrace(entries, ticks, first, rings, null);
  }

  /// The trace of all other threads.
  static WorkerTrace ofOthers(int entries, TraceTicks ticks, int first, int rings) {
    return new WorkerTrace(entries, ticks, first, rings, new SpinLock());
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

  /// The number of sleeps that are over, likewise.
  public long parks() {
    return firstPark == 0 ? 0 : lastPark - firstPark + 1;
  }

  /// The number of tasks that it has stolen, likewise.
  public long stolen() {
    return stolenAfter - stolenBefore;
  }

  /// The process that runs now, or 0; for other threads as of a moment ago.
  public long running() {
    return running;
  }

  /// The number of a message that it was given at its beginning, if that is in no entry yet; else
  /// 0.
  public int received() {
    return received;
  }

  /// When that began; else the end of the last run or sleep.
  public long since() {
    return since;
  }

  private long read() {
    seen = ticks.count();
    now = Math.max(now + 1, System.nanoTime());
    return now;
  }

  private long next() {
    if (areShort && ticks.count() == seen) {
      return ++now;
    }
    areShort = false; // until a run ends
    return read();
  }

  private void add(TraceKind kind, int code, long who, long other) {
    sentTo = 0;
    isFresh = false;
    if (lock == null) {
      ring.add(next(), kind, code, who, other);
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
    since = next(); // later than the last end: what has woken it there is not in its run
    running = task.number();
    received = 0;
    isFresh = true;
    issued = 0;
  }

  /// What a run is given first has the time of its beginning, and is in one entry with it.
  @Override
  public void received(Node item) {
    if (isFresh && item.number() != 0) {
      isFresh = false;
      received = item.number();
      return;
    }
    if (received != 0) {
      ring.add(since, TraceKind.RECEIVED, NONE, running, received);
      received = 0;
    }
    long at = isFresh ? since : read(); // another worker may have sent it meanwhile
    isFresh = false;
    sentTo = 0;
    ring.add(at, TraceKind.RECEIVED, NONE, running, item.number());
  }

  @Override
  public void runEnds(Task task, StepResult how) {
    long ended = read();
    if (how == StepResult.DONE) {
      int outcome = Math.max(NONE, CODES.indexOf(task.outcome()));
      ring.addNamed(ended, TraceKind.END, outcome, task.number(), 0, task.label());
    }
    int code =
        switch (how) {
          case DONE -> ENDS;
          case CONTINUE -> YIELDS;
          case IDLE -> BY_MESSAGE;
          case WAIT -> ANY;
          case WAIT_FOR_COMMANDS -> issued == NONE ? COMMAND : issued;
        };
    ring.addRun(ended, code, task.number(), since, received);
    received = 0;
    sentTo = 0;
    running = 0;
    areShort = ended - since < SHORT;
    since = ended;
  }

  @Override
  public void sleeps() {
    sentTo = 0;
    since = read();
  }

  @Override
  public void slept(long parks) {
    if (firstPark == 0) {
      firstPark = parks;
    }
    lastPark = parks;
    long woken = read();
    ring.add(woken, TraceKind.SLEEP, NONE, 0, since);
    since = woken;
  }

  @Override
  public void tookShared() {
    var _ = read(); // another thread may have woken it after the last run here
  }

  @Override
  public void stole(Task first, int tasks, int from, long stolen) {
    if (stolenAfter == 0) {
      stolenBefore = stolen - tasks;
    }
    stolenAfter = stolen;
    tookShared();
    add(TraceKind.STEAL, Math.min(MOST_TASKS, tasks), first.number(), from);
  }

  // ---- what is done for others ----

  /// Numbers of this ring differ from those of all others. They come again after two billion.
  @Override
  public int nextNumber() {
    if (lock == null) {
      number = (number + numbers) & Integer.MAX_VALUE;
      return number;
    }
    lock.lock();
    try {
      number = (number + numbers) & Integer.MAX_VALUE;
      return number;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void sent(Task to, @Nullable Node item) {
    int message = item == null ? 0 : item.number();
    if (lock == null) {
      sentTo = to.number();
      isFresh = false;
      ring.addMessage(next(), sentTo, running, message);
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
    if (why == Task.BY_MESSAGE && sentTo != 0 && sentTo == task.number()) {
      ring.addWakeOfMessage();
      sentTo = 0;
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
