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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// What each coroutine of a loop uses of it, and what its spawn site does, while an observer wants
/// to know: runs, time, the longest run, and time between runs.
final class Accounts implements LoopObserver {
  /*
   * A coroutine has a row from its first run on; one that does nothing has none. A row is a place
   * in some arrays, found by the number of the coroutine, so an account is no field of a coroutine,
   * and costs nothing before.
   *
   * Time. A sleep of the loop costs microseconds, so the first FEW runs after one read the clock
   * themselves, when they begin and when they end. A loop that has made more of them without a
   * sleep has no time to spare: a reading takes a sixth of a switch. Then up to FEW runs share one,
   * and the time since the last reading is divided among them equally. A run that is long among
   * short ones must not lend them its time: a thread ticks while there are accounts (TraceTicks),
   * and the first run that ends after a tick reads the clock; what is more than FAST_NANOS for each
   * of the others belongs to it. If the tick came after that run, it was not longer than the time
   * between two ticks.
   *
   * What the loop does for itself, and its sleep, belong to nobody; but between runs that share a
   * reading nothing tells its own work from theirs.
   *
   * Threads. The loop's.
   *
   * I1. The runs of all rows and sites are those that the loop has counted. [AccountsTest]
   * I2. The time of all rows is not more than has passed. [AccountsTest]
   * I3. A walk has each run of a coroutine once, though rows move between its pieces.
   *     [AccountsTest]
   * I4. Runs between which the loop sleeps have all of their time. [AccountsTest]
   *
   * Cost. Two look-ups in a table of longs for a run, some stores, and a sixteenth of a reading of
   * the clock; at most two readings for a run after a sleep.
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

  /// What one coroutine has used, with what it is called.
  record Named(long id, String label, Use use) {}

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

  private @Nullable Walk walk; // that reads them

  // runs whose time is not known yet
  private final long[] open = new long[FEW]; // numbers of coroutines: rows move
  private int openRuns;
  private int most = 1; // open runs
  private int exact = FEW; // runs of which no other shares the readings, until the next sleep
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
    if (most == 1 || ticks.count() != seen) {
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
    if (openRuns >= most || ticks.count() != seen) {
      settle(node.id());
      if (most == 1 && --exact == 0) {
        most = FEW;
      }
    }
  }

  /// Reads the clock, and divides the time since the last reading.
  ///
  /// @param last the coroutine whose run has just ended; 0: none, something else may have lasted
  private void settle(long last) {
    long before = now;
    now = System.nanoTime();
    boolean ticked = ticks.count() != seen;
    seen = ticks.count();
    if (openRuns == 0) {
      return; // nobody's
    }
    long passed = now - before;
    if (last == 0) {
      passed = Math.min(TraceTicks.NANOS, passed); // after a tick the last run would have settled
    }
    long share = passed / openRuns;
    if (last != 0 && ticked) {
      share = Math.min(FAST_NANOS, share);
    }
    int others = last == 0 ? openRuns : openRuns - 1;
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
      most = 1;
      exact = FEW;
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
      if (openRuns > 0) {
        settle(node.id());
      }
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
    if (walk != null) {
      walk.removes(row, size - 1);
    }
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

  /// Begins to read all rows, in pieces. One walk at a time: the one before is over.
  Walk walk(int most) {
    Walk begun = new Walk(most);
    walk = begun;
    return begun;
  }

  /// What all sites, and the coroutines that have used most, have used: read in pieces, between
  /// which the loop goes on. Each run is counted once, also that of a coroutine that ends
  /// meanwhile.
  final class Walk {
    private record Found(CoroutineNode<?> node, Use use) {}

    private final int most;
    private final int end = size; // rows that come later are of coroutines that have just begun
    private final PriorityQueue<Found> found =
        new PriorityQueue<>(Comparator.comparingLong((Found each) -> each.use.busyNanos));
    private int next; // row
    private long[][] sums = new long[0][]; // by site: runs, busy, longest, waited, coroutines

    private Walk(int most) {
      this.most = most;
      for (int site = 0; site < siteKeys.size(); site++) {
        System.arraycopy(ended[site], 0, sums(site), 0, ended[site].length);
      }
    }

    private long[] sums(int site) {
      if (site >= sums.length) {
        int before = sums.length;
        sums = Arrays.copyOf(sums, Math.max(FIRST, 2 * site));
        for (int i = before; i < sums.length; i++) {
          sums[i] = new long[5];
        }
      }
      return sums[site];
    }

    /// Reads some rows.
    ///
    /// @return whether there are more
    boolean read(int rows) {
      settle(0);
      int to = Math.min(next + rows, Math.min(end, size));
      while (next < to) {
        readRow(next++, true);
      }
      boolean hasMore = next < Math.min(end, size);
      if (!hasMore && walk == this) {
        walk = null; // what ends later is none of its business
      }
      return hasMore;
    }

    private void readRow(int row, boolean lives) {
      Use use = use(row);
      long[] of = sums(sites[row]);
      of[0] += use.runs;
      of[1] += use.busyNanos;
      of[2] = Math.max(of[2], use.longestNanos);
      of[3] += use.waitedNanos;
      of[4] += lives ? 1 : 0;
      boolean isFull = found.size() == most;
      if (lives && isFull && use.busyNanos > found.element().use.busyNanos) {
        found.remove();
        isFull = false;
      }
      if (lives && !isFull) {
        found.add(new Found(Objects.requireNonNull(nodes[row]), use));
      }
    }

    /// A row is removed, and `last` takes its place.
    private void removes(int row, int last) {
      if (row >= next) {
        readRow(row, false); // the sums of coroutines that have ended were read before
      } else if (last >= next) {
        readRow(last, true); // it moves to where this has been
      }
    }

    /// All sites whose coroutines have run.
    List<Use> bySite() {
      List<Use> all = new ArrayList<>();
      for (int site = 0; site < siteKeys.size(); site++) {
        long[] of = sums(site);
        if (of[0] > 0) {
          all.add(new Use(siteKeys.get(site), of[4], of[0], of[1], of[2], of[3]));
        }
      }
      return all;
    }

    /// The coroutines that have used most of the loop, the one with the most time first; of those
    /// that lived when they were read.
    List<Named> busiest() {
      return found.stream()
          .sorted(Comparator.comparingLong((Found each) -> each.use.busyNanos).reversed())
          .map(each -> new Named(each.node.id(), each.node.label(), each.use))
          .toList();
    }
  }

  private long waitedSoFar(int row) {
    return waited[row] + (leftAt[row] == 0 ? 0 : now - leftAt[row]);
  }

  /// One coroutine; null when it has not run since there are accounts, or has ended.
  @Nullable Use of(long id) {
    settle(0);
    int row = rows.get(id);
    return row == LongIndex.ABSENT ? null : use(row);
  }

  private Use use(int row) {
    return new Use(
        siteKeys.get(sites[row]), 1, runs[row], busy[row], longest[row], waitedSoFar(row));
  }
}
