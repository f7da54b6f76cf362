// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.CoroutineWatch;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.observe.CoroutineSnapshot.State;
import dev.heddle.scheduler.Waker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The groups of a loop's coroutines, kept up to date while observers watch the loop.
final class LoopWatch implements CoroutineWatch {
  /*
   * A coroutine that waits does not change, so nothing of it has to be read again. What has changed
   * is what has left the carrier since: `changed`. A piece of work (read()) takes coroutines from
   * there, reads what each does now, puts that into its row of the table, and asks to be told when
   * it leaves next. A summary is two arrays from end to end.
   *
   * States of a coroutine here.
   *   from     event                                      to        who
   *   -        the watch begins, or spawned()             UNREAD    attach(): into `changed`;
   *                                                                 spawned(): watched only
   *   UNREAD   left(), for the first time                 CHANGED   switchedOut(), parked()
   *   CHANGED  read()                                     ARMED     the trampoline: row, hook set
   *   ARMED    left()                                     CHANGED   clears the hook
   *   ARMED    wakes, and has not run yet                 ARMED     its row is out of date
   *   any      ended()                                    -         its row, and from `changed`
   *                                                                 when it comes to it
   *
   * Threads. The loop's.
   *
   * I1. A coroutine is in `changed` at most once: only left() adds it, and clears the hook with
   *     which it was called; only read(), which takes it out, sets the hook. [LoopWatchTest]
   * I2. The sum of the groups is the number of coroutines but those that have not left the carrier
   *     since they were spawned, and those in `changed` that were never read. [LoopWatchTest]
   * I3. Without observers there is no watch, and no coroutine calls one more than once.
   *     [LoopWatchTest]
   *
   * Cost. Unwatched: a null check at a spawn and at an end; none at a switch, where the byte that
   * says whether a coroutine has switch handlers says this, too. Watched: a coroutine that switches
   * a million times between two looks is told of once. About 0.3 us for each that has changed, 5 ns
   * for each that has not. The first look reads all, in pieces.
   *
   * Rejected. A walk over all coroutines for each look: 100,000 take 8-19 ms, because each is a
   * cache miss or two; by this way 1 ms. Calling at each switch: a tenth of it. A stamp at each
   * switch, compared in a walk: the walk again. Another thread that reads the tree: it changes
   * under its hands.
   */
  private static final int FIRST_LIMIT = 1_024;
  private static final int MAX_GROUPS = 60; // shown
  private static final int MAX_WAITS = 20; // shown
  private static final int MAX_HOLDERS = 3; // named
  private static final String SYNC = "dev.heddle.sync."; // whose holders are known, and few

  private final CoroutineTree tree;
  private final SiteGroups groups = new SiteGroups();
  private final WaitTable table = new WaitTable();
  private final ArrayDeque<CoroutineNode<?>> changed = new ArrayDeque<>();
  private final QueueDelays delays = new QueueDelays();
  private int limit = FIRST_LIMIT; // of `changed`, before those that have ended are dropped
  private int observers;
  private long nanos; // spent in read() and summary()

  private LoopWatch(CoroutineTree tree) {
    this.tree = tree;
  }

  // ---- observers ----

  /// One more observer; the first one begins the watch.
  static LoopWatch attach(CoroutineTree tree) {
    LoopWatch watch = (LoopWatch) tree.watch();
    if (watch == null) {
      long began = System.nanoTime();
      watch = new LoopWatch(tree);
      watch.addAll();
      tree.setWatch(watch);
      watch.nanos += System.nanoTime() - began;
    }
    watch.observers++;
    return watch;
  }

  private void addAll() {
    ScopeNode root = tree.root();
    for (ScopeNode s = root; s != null; s = s.nextIn(root, true)) {
      s.forEachMember(changed::add);
    }
  }

  /// One observer less; with the last one the watch ends. Coroutines whose hook is set call once
  /// more, and find no watch.
  void detach() {
    if (--observers == 0) {
      tree.setWatch(null);
    }
  }

  // ---- what coroutines do ----

  @Override
  public void spawned(CoroutineNode<?> coroutine) {
    coroutine.watchNextLeave();
  }

  @Override
  public void left(CoroutineNode<?> coroutine) {
    changed.add(coroutine);
    if (changed.size() >= limit) {
      // short-lived ones must not be kept until somebody looks
      changed.removeIf(CoroutineNode::isDone);
      limit = Math.max(FIRST_LIMIT, 2 * changed.size());
    }
  }

  @Override
  public void ended(CoroutineNode<?> coroutine) {
    table.remove(coroutine);
  }

  // ---- looks ----

  /// What has become of a piece of work.
  ///
  /// @param left coroutines that have changed and were not read
  /// @param nanos that it took
  record Progress(int left, long nanos) {}

  /// Reads so many of the coroutines that have changed.
  Progress read(int most) {
    long began = System.nanoTime();
    for (int i = 0; i < most && !changed.isEmpty(); i++) {
      CoroutineNode<?> next = changed.remove();
      if (!next.isDone()) {
        table.put(next, groups.of(next), next.waitingSince());
        next.watchNextLeave();
      }
    }
    long took = System.nanoTime() - began;
    nanos += took;
    return new Progress(changed.size(), took);
  }

  void addDelay(long delayNanos) {
    delays.add(delayNanos);
  }

  /// A group, with the one of it that has waited longest.
  record GroupRow(SiteGroups.Group group, int count, WaitRow oldest) {}

  /// A coroutine that waits; `waited` in units of the coarse clock.
  record WaitRow(
      long id,
      String label,
      SiteGroups.Group group,
      int waited,
      @Nullable String waitsFor,
      List<String> holders) {}

  /// What a look sees.
  ///
  /// @param read coroutines that were read
  /// @param unread coroutines that have changed, and were not read in time
  /// @param nanos of the loop's time, for all looks so far
  /// @param delays see [QueueDelays#histogram()]
  record Summary(
      List<GroupRow> groups,
      List<WaitRow> waits,
      int read,
      int unread,
      long nanos,
      long delaySamples,
      long delayMedianMicros,
      long delay99Micros,
      long longestDelayMicros,
      String delays) {}

  Summary summary() {
    long began = System.nanoTime();
    int now = Waker.inUnits(tree.scheduler().nanoTime());
    int[] counts = new int[groups.size()];
    int[] oldest = new int[groups.size()];
    table.summarise(counts, oldest);
    List<GroupRow> shown = new ArrayList<>();
    IntStream.range(0, counts.length)
        .filter(group -> counts[group] > 0)
        .boxed()
        .sorted(Comparator.comparingInt((Integer group) -> -counts[group]))
        .limit(MAX_GROUPS)
        .forEach(group ->
            shown.add(new GroupRow(groups.at(group), counts[group], row(oldest[group], now))));
    List<WaitRow> waits = longestWaits(now);
    nanos += System.nanoTime() - began;
    return new Summary(
        shown,
        waits,
        table.size(),
        changed.size(),
        nanos,
        delays.samples(),
        delays.percentile(50),
        delays.percentile(99),
        delays.takeLongest(),
        delays.histogram());
  }

  // ---- details ----

  int size() {
    return table.size();
  }

  /// The coroutine of a row; null when there are fewer rows by now.
  @Nullable CoroutineNode<?> node(int row) {
    return row < table.size() ? table.node(row) : null;
  }

  /// Some rows as lines: number, group, milliseconds of waiting, given name; by tabs.
  String lines(int from, int most) {
    int now = Waker.inUnits(tree.scheduler().nanoTime());
    StringBuilder text = new StringBuilder();
    for (int row = from; row < Math.min(table.size(), from + most); row++) {
      CoroutineNode<?> c = table.node(row);
      if (c != null) {
        State state = groups.at(table.group(row)).state();
        boolean waits = state == State.WAITING || state == State.FOREIGN;
        long waited = waits ? Waker.ofUnits(Math.max(0, table.waited(row, now))).toMillis() : 0;
        String name = c.givenName();
        text.append(c.id()).append('\t').append(table.group(row)).append('\t').append(waited);
        text.append('\t').append(name == null ? "" : name.replaceAll("\\s", " ")).append('\n');
      }
    }
    return text.toString();
  }

  /// All groups that there have been.
  List<SiteGroups.Group> groups() {
    return IntStream.range(0, groups.size()).mapToObj(groups::at).toList();
  }

  // most rows are compared with the shortest of those found so far, and passed over
  private List<WaitRow> longestWaits(int now) {
    int[] found = new int[MAX_WAITS];
    int size = 0;
    for (int row = 0; row < table.size(); row++) {
      if (size == MAX_WAITS && table.waited(row, now) <= table.waited(found[size - 1], now)) {
        continue;
      }
      State state = groups.at(table.group(row)).state();
      if (state != State.WAITING && state != State.FOREIGN) {
        continue;
      }
      int place = size < MAX_WAITS ? size++ : size - 1;
      while (place > 0 && table.waited(row, now) > table.waited(found[place - 1], now)) {
        found[place] = found[place - 1];
        place--;
      }
      found[place] = row;
    }
    return IntStream.range(0, size).mapToObj(i -> row(found[i], now)).toList();
  }

  private WaitRow row(int row, int now) {
    CoroutineNode<?> coroutine = table.node(row);
    if (coroutine == null) {
      throw new IllegalStateException("row " + row + " of " + table.size() + " has no coroutine");
    }
    SiteGroups.Group group = groups.at(table.group(row));
    EventSource event = group.state() == State.WAITING ? coroutine.firstAwaited() : null;
    return new WaitRow(
        coroutine.id(),
        coroutine.label(),
        group,
        Math.max(0, table.waited(row, now)),
        event == null ? null : brief(event),
        event == null || !event.kind().getName().startsWith(SYNC) ? List.of() : holders(event));
  }

  // safe: both may be user code, which must not end a look
  private static String brief(EventSource event) {
    try {
      return event.brief();
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      return "a " + event.getClass().getName() + " whose info() threw " + e.getClass().getName();
    }
  }

  private static List<String> holders(EventSource event) {
    List<String> found = new ArrayList<>();
    try {
      for (Awaitable<?> holder : event.holders()) {
        if (holder instanceof CoroutineNode<?> c && found.size() < MAX_HOLDERS) {
          found.add(c.label());
        }
      }
    } catch (Throwable e) {
      // safe: as for brief()
      FailureTable.throwIfFatal(e);
    }
    return found;
  }
}
