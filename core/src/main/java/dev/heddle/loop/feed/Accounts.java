// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.internal.LongIndex;
import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What each coroutine of a loop uses of it, and what its spawn site does, while an observer wants
/// to know: runs, time, the longest run, and time between runs.
final class Accounts implements LoopObserver {
  /*
   * A coroutine has a row from its first run on; one that does nothing has none. A row is a place
   * in some arrays, found by the number of the coroutine, so an account is no field of a coroutine,
   * and costs nothing before.
   *
   * Time. A reading of the clock takes a sixth of a switch, so runs that follow each other fast
   * share one: the rows of up to FEW runs are kept until the clock is read, and the time since the
   * last reading is divided among them. A run that is long among short ones must not lend them its
   * time: a thread ticks while there are accounts (TraceTicks), and the first run that ends after a
   * tick reads the clock; what is more than FAST_NANOS for each of the others belongs to it. What
   * the loop does for itself, and its sleep, belong to nobody.
   *
   * Threads. The loop's.
   *
   * I1. The runs of all rows and sites are those that the loop has counted. [AccountsTest]
   * I2. The time of all rows is not more than has passed. [AccountsTest]
   *
   * Cost. Two look-ups in a table of longs for a run, some stores, and a sixteenth of a reading of
   * the clock.
   *
   * Rejected. The row in the coroutine: eight bytes for each of a million. A reading for each run:
   * 17 % of a switch.
   */
  private static final int FEW = 16; // runs that share a reading
  private static final long FAST_NANOS = 400;
  private static final int FIRST = 64; // rows

  /// What one coroutine has used, or all of a site.
  ///
  /// @param coroutines that live and have run
  /// @param waitedNanos between their runs
  record Use(
      Object site,
      long coroutines,
      long runs,
      long busyNanos,
      long longestNanos,
      long waitedNanos) {}

  private final CoroutineTree tree;
  private final TraceTicks ticks = new TraceTicks();
  private final long began = System.nanoTime();

  // rows of coroutines that live
  private final LongIndex rows = new LongIndex();
  private int size;
  private @Nullable CoroutineNode<?>[] nodes = new CoroutineNode<?>[FIRST];
  private int[] sites = new int[FIRST];
  private long[] runs = new long[FIRST];
  private long[] busy = new long[FIRST];
  private long[] longest = new long[FIRST];
  private long[] waited = new long[FIRST];
  private long[] leftAt = new long[FIRST]; // 0: never

  // sites: those of coroutines that have ended are summed up here
  private final Map<Object, Integer> siteNumbers = new HashMap<>();
  private final List<Object> siteKeys = new ArrayList<>();
  private long[][] ended = new long[0][]; // by site: runs, busy, longest, waited

  // runs whose time is not known yet
  private final long[] open = new long[FEW]; // numbers of coroutines: rows move
  private int openRuns;
  private long now = began; // the last reading
  private int seen; // ticks

  private Accounts(CoroutineTree tree) {
    this.tree = tree;
  }

  /// Begins accounts. On the trampoline.
  static Accounts begin(CoroutineTree tree) {
    Accounts accounts = new Accounts(tree);
    LoopObserver.add(tree, accounts);
    return accounts;
  }

  /// Ends them. On the trampoline.
  void end() {
    ticks.close();
    LoopObserver.remove(tree, this);
  }

  // ---- runs ----

  private static CoroutineNode<?> node(Occupant coroutine) {
    return (CoroutineNode<?>) coroutine;
  }

  @Override
  public void entered(Occupant coroutine) {
    if (ticks.count() != seen) {
      settle(0); // what has lasted since was no run, or a short one
    }
    int row = row(node(coroutine));
    if (leftAt[row] != 0) {
      waited[row] += now - leftAt[row];
      leftAt[row] = 0;
    }
  }

  @Override
  public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {
    CoroutineNode<?> node = node(coroutine);
    int row = row(node);
    if (leftAt[row] != 0) { // the JDK has resumed it
      waited[row] += now - leftAt[row];
    }
    ran(node, row);
    leftAt[row] = now;
  }

  private void ran(CoroutineNode<?> node, int row) {
    runs[row]++;
    open[openRuns++] = node.id();
    if (openRuns == FEW || ticks.count() != seen) {
      settle(node.id());
    }
  }

  /// Reads the clock, and divides the time since the last reading.
  ///
  /// @param last the coroutine whose run has just ended, to which belongs what is too much for the
  ///   others; 0: nobody's
  private void settle(long last) {
    long before = now;
    now = System.nanoTime();
    seen = ticks.count();
    long passed = now - before;
    int others = last == 0 ? openRuns : openRuns - 1;
    long share = openRuns == 0 ? 0 : Math.min(FAST_NANOS, passed / openRuns);
    for (int i = 0; i < others; i++) {
      add(open[i], share);
    }
    if (last != 0) {
      add(last, passed - share * others);
    }
    openRuns = 0;
  }

  private void add(long id, long nanos) {
    int row = rows.get(id);
    if (row != LongIndex.ABSENT) {
      busy[row] += nanos;
      longest[row] = Math.max(longest[row], nanos);
    }
  }

  @Override
  public void sleeps() {
    settle(0);
  }

  @Override
  public void polled(boolean slept, int notified) {
    if (slept) {
      now = System.nanoTime(); // the sleep is nobody's
      seen = ticks.count();
    }
  }

  @Override
  public void ended(Occupant coroutine, boolean ran) {
    if (ran) {
      CoroutineNode<?> node = node(coroutine);
      int row = row(node);
      if (leftAt[row] != 0) { // the JDK has resumed it
        waited[row] += now - leftAt[row];
      }
      ran(node, row);
      settle(openRuns == 0 ? 0 : node.id());
      remove(node.id());
    }
  }

  @Override
  public void loopEnds() {
    ticks.close(); // nobody can end the accounts of a loop that has ended
  }

  // ---- rows ----

  private int row(CoroutineNode<?> node) {
    int row = rows.get(node.id());
    return row == LongIndex.ABSENT ? newRow(node) : row;
  }

  private int newRow(CoroutineNode<?> node) {
    int row = size++;
    if (row == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * row);
      sites = Arrays.copyOf(sites, 2 * row);
      runs = Arrays.copyOf(runs, 2 * row);
      busy = Arrays.copyOf(busy, 2 * row);
      longest = Arrays.copyOf(longest, 2 * row);
      waited = Arrays.copyOf(waited, 2 * row);
      leftAt = Arrays.copyOf(leftAt, 2 * row);
    }
    rows.put(node.id(), row);
    nodes[row] = node;
    sites[row] = site(node.isMain() ? "main" : SpawnSites.key(node.site()));
    runs[row] = 0;
    busy[row] = 0;
    longest[row] = 0;
    waited[row] = 0;
    leftAt[row] = 0;
    return row;
  }

  private int site(Object key) {
    Integer known = siteNumbers.get(key);
    if (known != null) {
      return known;
    }
    int number = siteKeys.size();
    siteNumbers.put(key, number);
    siteKeys.add(key);
    if (number >= ended.length) {
      ended = Arrays.copyOf(ended, Math.max(FIRST, 2 * number));
    }
    ended[number] = new long[4];
    return number;
  }

  private void remove(long id) {
    int row = rows.remove(id);
    long[] sums = ended[sites[row]];
    sums[0] += runs[row];
    sums[1] += busy[row];
    sums[2] = Math.max(sums[2], longest[row]);
    sums[3] += waited[row];
    int last = --size;
    CoroutineNode<?> moved = nodes[last];
    nodes[last] = null;
    if (row != last && moved != null) {
      nodes[row] = moved;
      sites[row] = sites[last];
      runs[row] = runs[last];
      busy[row] = busy[last];
      longest[row] = longest[last];
      waited[row] = waited[last];
      leftAt[row] = leftAt[last];
      rows.put(moved.id(), row);
    }
  }

  // ---- what an observer sees ----

  /// For how long there have been accounts.
  long nanos() {
    return System.nanoTime() - began;
  }

  /// All sites whose coroutines have run.
  List<Use> bySite() {
    settle(0);
    int count = siteKeys.size();
    long[][] sums = new long[count][];
    long[] living = new long[count];
    for (int site = 0; site < count; site++) {
      sums[site] = ended[site].clone();
    }
    for (int row = 0; row < size; row++) {
      long[] of = sums[sites[row]];
      living[sites[row]]++;
      of[0] += runs[row];
      of[1] += busy[row];
      of[2] = Math.max(of[2], longest[row]);
      of[3] += waitedSoFar(row);
    }
    List<Use> all = new ArrayList<>();
    for (int site = 0; site < count; site++) {
      long[] of = sums[site];
      all.add(new Use(siteKeys.get(site), living[site], of[0], of[1], of[2], of[3]));
    }
    return all;
  }

  private long waitedSoFar(int row) {
    return waited[row] + (leftAt[row] == 0 ? 0 : now - leftAt[row]);
  }

  /// One coroutine; null when it has not run since there are accounts, or has ended.
  @Nullable Use of(long id) {
    settle(0);
    int row = rows.get(id);
    return row == LongIndex.ABSENT
        ? null
        : new Use(
            siteKeys.get(sites[row]), 1, runs[row], busy[row], longest[row], waitedSoFar(row));
  }
}
