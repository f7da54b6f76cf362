// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/// What the nodes of [ClusterSoak] that are never killed need while nothing happens, at minute 2
/// and at the end: heap after collections, threads, descriptors.
///
/// A single reading tells little: a timer may just have woken a thread, and a search for nodes may
/// just have been on. So the least of many readings counts. What has not come back at the end is a
/// leak, and the report names the classes and threads that there are more of.
final class SoakGrowth {
  private static final double HEAP_GROWTH = 1.1;
  private static final int MOST_NAMED = 12; // classes and threads
  private static final int HEAP = 0;
  private static final int THREADS = 1;
  private static final int DESCRIPTORS = 2;

  /// For how long the nodes are left alone: threads of pools end after 60 s.
  private static final long QUIET_NANOS = 75_000_000_000L;

  private static final long PAUSE_NANOS = 1_000_000_000L;

  interface Nodes {
    /// Has a node measure itself: `HEAP THREADS DESCRIPTORS`.
    String measure(String name) throws Exception;

    /// Has a node say what its heap and its threads are: `BYTES PART` with commas between. Nobody
    /// asks by `jcmd`: that leaves a thread and a descriptor there.
    String parts(String name) throws Exception;
  }

  private final List<String> names;
  private final Nodes nodes;
  private final Map<String, long[]> baseline = new TreeMap<>();
  private final Map<String, long[]> after = new TreeMap<>();
  private final Map<String, Map<String, Long>> parts = new TreeMap<>(); // of the baseline, by node

  SoakGrowth(List<String> names, Nodes nodes) {
    this.names = List.copyOf(names);
    this.nodes = nodes;
  }

  boolean hasBaseline() {
    return !baseline.isEmpty();
  }

  /// Takes all of the quiet time.
  void measureBaseline() throws Exception {
    for (String name : names) {
      parts.put(name, parts(name)); // first: it loads classes
    }
    long from = System.nanoTime();
    do {
      measure(baseline);
      LockSupport.parkNanos(PAUSE_NANOS);
    } while (System.nanoTime() - from < QUIET_NANOS);
  }

  /// Waits until each node is back at its baseline, for twice the quiet time at most.
  ///
  /// @return what has grown
  List<String> judge() throws Exception {
    long from = System.nanoTime();
    do {
      measure(after);
      LockSupport.parkNanos(PAUSE_NANOS);
    } while (names.stream().anyMatch(this::hasGrown) && System.nanoTime() - from < 2 * QUIET_NANOS);
    List<String> problems = new ArrayList<>();
    for (String name : names) {
      if (hasGrown(name)) {
        problems.add("has grown: " + text(name) + ": " + more(name));
      }
    }
    return problems;
  }

  private void measure(Map<String, long[]> into) throws Exception {
    for (String name : names) {
      String[] words = nodes.measure(name).split(" ");
      into.merge(
          name, Arrays.stream(words).mapToLong(Long::parseLong).toArray(), SoakGrowth::least);
    }
  }

  private static long[] least(long[] one, long[] other) {
    long[] least = one.clone();
    for (int i = 0; i < least.length; i++) {
      least[i] = Math.min(one[i], other[i]);
    }
    return least;
  }

  private boolean hasGrown(String name) {
    long[] before = baseline.get(name);
    long[] now = after.get(name);
    return now[HEAP] > before[HEAP] * HEAP_GROWTH
        || now[THREADS] > before[THREADS]
        || now[DESCRIPTORS] > before[DESCRIPTORS];
  }

  /// A line for each node.
  String report() {
    StringBuilder lines = new StringBuilder();
    names.forEach(name -> lines.append(text(name)).append('\n'));
    return lines.toString();
  }

  private String text(String name) {
    long[] before = baseline.get(name);
    long[] now = after.getOrDefault(name, before);
    return "%s: heap %d KiB, then %d; threads %d, then %d; descriptors %d, then %d"
        .formatted(
            name,
            before[HEAP],
            now[HEAP],
            before[THREADS],
            now[THREADS],
            before[DESCRIPTORS],
            now[DESCRIPTORS]);
  }

  // ---- what there is more of ----

  private String more(String name) throws Exception {
    Map<String, Long> before = parts.getOrDefault(name, Map.of());
    Map<String, Long> more = new TreeMap<>();
    parts(name).forEach((part, count) -> more.put(part, count - before.getOrDefault(part, 0L)));
    return more.entrySet().stream()
        .filter(it -> it.getValue() > 0)
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(MOST_NAMED)
        .toList()
        .toString();
  }

  private Map<String, Long> parts(String name) throws Exception {
    Map<String, Long> parts = new TreeMap<>();
    for (String part : nodes.parts(name).split(",")) {
      String[] words = part.split(" ", 2);
      parts.merge(words[1], Long.parseLong(words[0]), Long::sum);
    }
    return parts;
  }
}
