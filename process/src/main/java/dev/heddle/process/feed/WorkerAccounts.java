// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.internal.LongIndex;
import dev.heddle.internal.SpinLock;
import dev.heddle.observe.trace.RunTimes;
import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.process.feed.ProcessAccounts.Life;
import dev.heddle.process.feed.ProcessAccounts.Sums;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.Task.StepResult;
import dev.heddle.process.scheduler.WorkObserver;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The accounts of one worker.
final class WorkerAccounts implements WorkObserver {
  /*
   * A process has a row with each worker that has run it: a place in some arrays, found by its
   * number. What runs have taken is written into the rows for many of them at once, so that the
   * lock is taken seldom; also at a tick, since an observer waits for it.
   *
   * RunTimes says how long a run was.
   *
   * The row of a process that ends is added to the sums of its type, and is free. It may have ended
   * with another worker: so the rows are swept before the arrays grow.
   *
   * A compensating worker that ends leaves its accounts to the next one.
   *
   * Threads. The worker; an observer reads, so rows are written under a lock, once for many runs.
   * The observer only copies the arrays under it, into memory that it has got before: the worker
   * waits for a quarter of a millisecond for 100,000 rows.
   *
   * Out of memory. A run has no row, or a process that has ended keeps its row until the next
   * sweep; what must be done together is done after what may fail.
   *
   * I1. The runs of all rows and sums are those of the worker. [ProcessAccountsTest]
   */
  private static final int FIRST = 64; // rows
  private static final int NONE = -1;
  private static final int WORDS = 4; // of a row, beside each other; a power of two
  private static final int RUNS = 0;
  private static final int BUSY = 1;
  private static final int LONGEST = 2;

  private final ProcessAccounts accounts;
  private final RunTimes times;
  private final SpinLock lock = new SpinLock();

  // the worker
  private int current = NONE; // the row of the run

  // the worker writes, under the lock; the observer reads, under the lock
  private final LongIndex rows = new LongIndex(); // by process
  private int size;
  private @Nullable Life[] lives = new Life[FIRST];
  private long[] used = new long[FIRST * WORDS]; // by row: RUNS, BUSY, LONGEST
  private final Map<String, Sums> ended = new HashMap<>();

  WorkerAccounts(ProcessAccounts accounts, TraceTicks ticks) {
    this.accounts = accounts;
    this.times = new RunTimes(System::nanoTime, ticks::count, this::write);
  }

  // ---- runs ----

  @Override
  public void runBegins(Task task, long picks) {
    int row = rows.get(task.number());
    current = row == LongIndex.ABSENT ? newRow(task) : row;
    times.runBegins();
  }

  @Override
  public void runEnds(Task task, StepResult how) {
    int row = current;
    if (row == NONE) { // there was no memory for it
      return;
    }
    current = NONE;
    boolean isDone = how == StepResult.DONE;
    times.runEnds(row, isDone);
    if (isDone) {
      end(row);
    }
  }

  @Override
  public void searches() {
    times.pauses();
  }

  @Override
  public void sleeps() {
    times.pauses(); // an observer may have come since
  }

  private void write(int[] ofRuns, long[] nanos, int count) {
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        add(ofRuns[i], nanos[i]);
      }
    } finally {
      lock.unlock();
    }
  }

  private void add(int row, long nanos) {
    int at = row * WORDS;
    used[at + RUNS]++;
    used[at + BUSY] += nanos;
    used[at + LONGEST] = Math.max(used[at + LONGEST], nanos);
  }

  // ---- rows ----

  private int newRow(Task task) {
    times.settle(); // rows may move
    Life life = accounts.life(task);
    lock.lock();
    try {
      if (size == lives.length) {
        sweep();
        if (2 * size > lives.length) {
          grow();
        }
      }
      int row = size;
      rows.put(life.process.id(), row); // first: it may lack memory
      lives[row] = life;
      Arrays.fill(used, row * WORDS, row * WORDS + WORDS, 0);
      size++;
      return row;
    } finally {
      lock.unlock();
    }
  }

  private void grow() {
    int more = 2 * lives.length;
    used = Arrays.copyOf(used, more * WORDS);
    lives = Arrays.copyOf(lives, more); // last: its length is that of all
  }

  private void end(int row) {
    Life life = lives[row];
    if (life == null) {
      return;
    }
    boolean isCounted = accounts.ended(life);
    lock.lock();
    try {
      if (isCounted) {
        ProcessAccounts.sums(ended, life.type).add(life, times.lastReading(), false);
      }
      remove(row, life);
    } finally {
      lock.unlock();
    }
  }

  // of those that have ended with another worker
  private void sweep() {
    for (int row = size - 1; row >= 0; row--) {
      Life life = lives[row];
      if (life != null && life.process.isEnded()) {
        remove(row, life);
      }
    }
  }

  private void remove(int row, Life life) {
    add(ProcessAccounts.sums(ended, life.type), used, row);
    int _ = rows.remove(life.process.id());
    int last = --size;
    Life moved = lives[last];
    lives[last] = null;
    if (row != last && moved != null) {
      lives[row] = moved;
      System.arraycopy(used, last * WORDS, used, row * WORDS, WORDS);
      rows.put(moved.process.id(), row);
    }
  }

  private static void add(Sums to, long[] used, int row) {
    int at = row * WORDS;
    to.add(used[at + RUNS], used[at + BUSY], used[at + LONGEST]);
  }

  // ---- the observer ----

  /// Copies of the first rows.
  private static final class Rows {
    int size;
    final @Nullable Life[] lives;
    final long[] used;

    Rows(int room) {
      lives = new Life[room];
      used = new long[room * WORDS];
    }
  }

  /// Adds all that is known, by type; and that of processes.
  void addTo(Map<String, Sums> types, Map<Life, Sums> processes) {
    Rows copy = new Rows(room());
    while (!copyTo(copy, types)) {
      copy = new Rows(room());
    }
    for (int row = 0; row < copy.size; row++) {
      Life life = copy.lives[row];
      if (life != null) {
        add(ProcessAccounts.sums(types, life.type), copy.used, row);
        add(processes.computeIfAbsent(life, _ -> new Sums()), copy.used, row);
      }
    }
  }

  /// Adds what is known of a process.
  void addTo(Sums sums, long process) {
    lock.lock();
    try {
      int row = rows.get(process);
      if (row != LongIndex.ABSENT) {
        add(sums, used, row);
      }
    } finally {
      lock.unlock();
    }
  }

  private int room() {
    lock.lock();
    try {
      return lives.length;
    } finally {
      lock.unlock();
    }
  }

  /// Copies the rows, and adds those of ended processes.
  ///
  /// @return false, and nothing is done, when they are too many by now
  private boolean copyTo(Rows copy, Map<String, Sums> types) {
    lock.lock();
    try {
      if (size > copy.lives.length) {
        return false;
      }
      System.arraycopy(lives, 0, copy.lives, 0, size);
      System.arraycopy(used, 0, copy.used, 0, size * WORDS);
      copy.size = size;
      ended.forEach((type, of) -> ProcessAccounts.sums(types, type).add(of)); // there are few
      return true;
    } finally {
      lock.unlock();
    }
  }
}
