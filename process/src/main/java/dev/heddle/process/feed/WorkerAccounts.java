// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.internal.LongIndex;
import dev.heddle.internal.SpinLock;
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
   * number. The clock is read when a run begins and when it ends. What runs have taken is written
   * into the rows for up to FEW of them at once, so that the lock is taken seldom; also at a tick,
   * since an observer waits for it.
   *
   * Rejected. One reading for runs that follow each other fast, as in the accounts of a loop: a
   * worker often sleeps after each run, and what a run takes is not known then.
   *
   * The row of a process that ends is added to the sums of its type, and is free. It may have ended
   * with another worker: so the rows are swept before the arrays grow.
   *
   * Threads. The worker; an observer reads, so rows are written under a lock: once for FEW runs.
   *
   * I1. The runs of all rows and sums are those of the worker. [ProcessAccountsTest]
   */
  private static final int FEW = 16; // runs that are written at once
  private static final int FIRST = 64; // rows
  private static final int NONE = -1;

  private final ProcessAccounts accounts;
  private final TraceTicks ticks;
  private final SpinLock lock = new SpinLock();

  // the worker
  private final LongIndex rows = new LongIndex(); // by process
  private final int[] open = new int[FEW]; // rows of runs that are not written yet
  private final long[] openNanos = new long[FEW];
  private int openRuns;
  private int current = NONE; // the row of the run
  private long began; // of the run
  private long now; // the last end of one
  private int seen; // ticks

  // the worker writes, under the lock; the observer reads, under the lock
  private int size;
  private @Nullable Life[] lives = new Life[FIRST];
  private long[] runs = new long[FIRST];
  private long[] busy = new long[FIRST];
  private long[] longest = new long[FIRST];
  private final Map<String, Sums> ended = new HashMap<>();

  WorkerAccounts(ProcessAccounts accounts, TraceTicks ticks) {
    this.accounts = accounts;
    this.ticks = ticks;
  }

  // ---- runs ----

  @Override
  public void runBegins(Task task, long picks) {
    int row = rows.get(task.number());
    current = row == LongIndex.ABSENT ? newRow(task) : row;
    began = System.nanoTime();
  }

  @Override
  public void runEnds(Task task, StepResult how) {
    int row = current;
    if (row == NONE) { // there was no memory for it
      return;
    }
    current = NONE;
    now = System.nanoTime();
    openNanos[openRuns] = now - began;
    open[openRuns++] = row;
    if (how == StepResult.DONE) {
      write();
      end(row);
    } else if (openRuns == FEW || ticks.count() != seen) {
      write();
    }
  }

  @Override
  public void sleeps() {
    write();
  }

  private void write() {
    seen = ticks.count();
    if (openRuns == 0) {
      return;
    }
    lock.lock();
    try {
      for (int i = 0; i < openRuns; i++) {
        add(open[i], openNanos[i]);
      }
    } finally {
      lock.unlock();
    }
    openRuns = 0;
  }

  private void add(int row, long nanos) {
    runs[row]++;
    busy[row] += nanos;
    longest[row] = Math.max(longest[row], nanos);
  }

  // ---- rows ----

  private int newRow(Task task) {
    write(); // rows may move
    Life life = accounts.life(task);
    lock.lock();
    try {
      if (size == lives.length) {
        sweep();
        if (2 * size > lives.length) {
          grow();
        }
      }
      int row = size++;
      rows.put(life.process.id(), row);
      lives[row] = life;
      runs[row] = 0;
      busy[row] = 0;
      longest[row] = 0;
      return row;
    } finally {
      lock.unlock();
    }
  }

  private void grow() {
    int more = 2 * lives.length;
    lives = Arrays.copyOf(lives, more);
    runs = Arrays.copyOf(runs, more);
    busy = Arrays.copyOf(busy, more);
    longest = Arrays.copyOf(longest, more);
  }

  private void end(int row) {
    Life life = lives[row];
    if (life != null) {
      lock.lock();
      try {
        ProcessAccounts.sums(ended, life.type).add(life, now, false);
        remove(row, life);
      } finally {
        lock.unlock();
      }
      accounts.ended(life);
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
    ProcessAccounts.sums(ended, life.type).add(runs[row], busy[row], longest[row]);
    int _ = rows.remove(life.process.id());
    int last = --size;
    Life moved = lives[last];
    lives[last] = null;
    if (row != last && moved != null) {
      lives[row] = moved;
      runs[row] = runs[last];
      busy[row] = busy[last];
      longest[row] = longest[last];
      rows.put(moved.process.id(), row);
    }
  }

  // ---- the observer ----

  /// Adds all that is known, by type.
  void addTo(Map<String, Sums> sums) {
    lock.lock();
    try {
      ended.forEach((type, of) -> ProcessAccounts.sums(sums, type).add(of));
      for (int row = 0; row < size; row++) {
        Life life = lives[row];
        if (life != null) {
          ProcessAccounts.sums(sums, life.type).add(runs[row], busy[row], longest[row]);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /// Adds what is known of processes.
  void addLivesTo(Map<Life, Sums> sums) {
    lock.lock();
    try {
      for (int row = 0; row < size; row++) {
        Life life = lives[row];
        if (life != null) {
          sums.computeIfAbsent(life, _ -> new Sums()).add(runs[row], busy[row], longest[row]);
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
