// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.internal.LongIndex;
import dev.heddle.observe.trace.RunTimes;
import dev.heddle.observe.trace.TraceTicker;
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
   * Time. RunTimes says how long a run was. What the loop does for itself, and its sleep, belong to
   * nobody. While runs share a reading of the clock, their beginnings tell nothing, and the
   * scheduler does not call this for them. Then only polls and tasks of the carrier that last for a
   * tick are told from runs. What a coroutine has waited is the time since its first run that it
   * did not run.
   *
   * Threads. The loop's.
   *
   * I1. The runs of all rows and sites are those that the loop has counted. [AccountsTest]
   * I2. The time of all rows is not more than has passed. [AccountsTest]
   * I3. A walk has each run of a coroutine once, though rows move between its pieces.
   *     [AccountsTest]
   * I4. Runs between which the loop sleeps have all of their time. [AccountsTest]
   *
   * Cost. A call, a look-up in a table of longs and a store for a run; the rest is done for many of
   * them at once.
   *
   * Rejected. The row in the coroutine: eight bytes for each of a million. A reading for each run:
   * 17 % of a switch. The end of the last run in each row: two look-ups and four stores more for a
   * run, and less exact where runs share a reading.
   */
  private static final int FIRST = 64; // rows
  private static final int WORDS = 4; // of a row, beside each other
  private static final int RUNS = 0;
  private static final int BUSY = 1;
  private static final int LONGEST = 2;
  private static final int SINCE = 3; // the beginning of its first run; of a sum: waited

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
  private final TraceTicker ticker;
  private final RunTimes times;
  private final long began = System.nanoTime();

  // rows of coroutines that live
  private final LongIndex rows = new LongIndex();
  private int size;
  private @Nullable CoroutineNode<?>[] nodes = new CoroutineNode<?>[FIRST];
  private int[] sites = new int[FIRST];
  private long[] used = new long[FIRST * WORDS]; // by row: RUNS, BUSY, LONGEST, SINCE

  // sites: those of coroutines that have ended are summed up here
  private final Map<Object, Integer> siteNumbers = new HashMap<>();
  private final List<Object> siteKeys = new ArrayList<>();
  private long[][] ended = new long[0][]; // by site: runs, busy, longest, waited

  private @Nullable Walk walk; // that reads them

  private Accounts(CoroutineTree tree, TraceTicker ticker) {
    this.tree = tree;
    this.ticker = ticker;
    this.times = new RunTimes(System::nanoTime, ticker.ticks()::count, this::write);
  }

  /// Begins accounts. On the trampoline.
  static Accounts begin(CoroutineTree tree) {
    TraceTicker ticker = new TraceTicker();
    boolean hasBegun = false;
    try {
      Accounts accounts = new Accounts(tree, ticker);
      LoopObserver.add(tree, accounts);
      hasBegun = true;
      return accounts;
    } finally {
      if (!hasBegun) {
        ticker.close(); // no memory
      }
    }
  }

  /// Ends them. On the trampoline.
  void end() {
    ticker.close();
    LoopObserver.remove(tree, this);
  }

  // ---- runs ----

  private static CoroutineNode<?> node(Occupant coroutine) {
    return (CoroutineNode<?>) coroutine;
  }

  @Override
  public void entered(Occupant coroutine) {
    times.runBegins();
  }

  @Override
  public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {
    times.runEnds(row(node(coroutine)), false);
  }

  private void write(int[] ofRuns, long[] nanos, int count) {
    for (int i = 0; i < count; i++) {
      int at = ofRuns[i] * WORDS;
      used[at + RUNS]++;
      used[at + BUSY] += nanos[i];
      used[at + LONGEST] = Math.max(used[at + LONGEST], nanos[i]);
    }
    tellEntries();
  }

  private void tellEntries() {
    tree.scheduler().tellEntries(this, times.isNextAlone());
  }

  @Override
  public void worked() {
    times.elseLasted();
  }

  @Override
  public void sleeps() {
    times.pauses();
    tellEntries();
  }

  @Override
  public void polled(boolean slept, int notified) {
    times.elseLasted();
  }

  @Override
  public void ended(Occupant coroutine, boolean ran) {
    if (ran) {
      int row = row(node(coroutine));
      times.runEnds(row, true);
      remove(row);
    }
  }

  @Override
  public void loopEnds() {
    ticker.close(); // nobody can end the accounts of a loop that has ended
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
      used = Arrays.copyOf(used, 2 * row * WORDS);
    }
    rows.put(node.id(), row);
    nodes[row] = node;
    sites[row] = site(node.isMain() ? "main" : SpawnSites.key(node.site()));
    Arrays.fill(used, row * WORDS, row * WORDS + WORDS, 0);
    used[row * WORDS + SINCE] = times.lastReading();
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
    ended[number] = new long[WORDS];
    return number;
  }

  private void remove(int row) {
    if (walk != null) {
      walk.removes(row, size - 1);
    }
    addTo(ended[sites[row]], row);
    int last = --size;
    int _ = rows.remove(Objects.requireNonNull(nodes[row]).id());
    CoroutineNode<?> moved = nodes[last];
    nodes[last] = null;
    if (row != last && moved != null) {
      nodes[row] = moved;
      sites[row] = sites[last];
      System.arraycopy(used, last * WORDS, used, row * WORDS, WORDS);
      rows.put(moved.id(), row);
    }
  }

  private void addTo(long[] sums, int row) {
    int at = row * WORDS;
    sums[RUNS] += used[at + RUNS];
    sums[BUSY] += used[at + BUSY];
    sums[LONGEST] = Math.max(sums[LONGEST], used[at + LONGEST]);
    sums[SINCE] += waited(row);
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
    private static final int LIVING = WORDS; // of a sum, behind the others

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
          sums[i] = new long[WORDS + 1];
        }
      }
      return sums[site];
    }

    /// Reads some rows.
    ///
    /// @return whether there are more
    boolean read(int rows) {
      times.settle();
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
      addTo(of, row);
      of[LIVING] += lives ? 1 : 0;
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
        if (of[RUNS] > 0) {
          all.add(
              new Use(siteKeys.get(site), of[LIVING], of[RUNS], of[BUSY], of[LONGEST], of[SINCE]));
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

  private long waited(int row) {
    return times.lastReading() - used[row * WORDS + SINCE] - used[row * WORDS + BUSY];
  }

  /// One coroutine; null when it has not run since there are accounts, or has ended.
  @Nullable Use of(long id) {
    times.settle();
    int row = rows.get(id);
    return row == LongIndex.ABSENT ? null : use(row);
  }

  private Use use(int row) {
    int at = row * WORDS;
    return new Use(
        siteKeys.get(sites[row]),
        1,
        used[at + RUNS],
        used[at + BUSY],
        used[at + LONGEST],
        waited(row));
  }
}
