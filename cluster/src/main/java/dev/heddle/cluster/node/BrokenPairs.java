// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Finds pairs of nodes that are not in session with each other, although each is with some node.
///
/// **Thread** one at a time.
final class BrokenPairs {
  /*
   * A node knows whom it sees, and each node in session tells it the same of itself each second.
   * A pair is broken when a node that tells does not see a node that another one sees. What a node
   * that nobody here hears of sees is not known: a pair of two such nodes is not found.
   *
   * A dead node is not noticed by all at the same time: within 8 s. A node that joins greets each
   * other node. So a pair counts when it has been broken for SETTLED_NANOS. [BrokenPairsTest]
   */

  /// More than the longest time in which a lost node is noticed.
  static final long SETTLED_NANOS = 10_000_000_000L;

  /// Two nodes, the first by name first.
  ///
  /// @param nanos for how long
  record Pair(String one, String other, long nanos) {}

  private record Names(String one, String other) implements Comparable<Names> {
    static Names of(String a, String b) {
      return a.compareTo(b) < 0 ? new Names(a, b) : new Names(b, a);
    }

    @Override
    public int compareTo(Names to) {
      int first = one.compareTo(to.one);
      return first != 0 ? first : other.compareTo(to.other);
    }
  }

  private final Map<Names, Long> since = new TreeMap<>();

  /// @param views whom each node sees that tells it, by its name
  void update(Map<String, Set<String>> views, long now) {
    Set<String> seen = new TreeSet<>();
    views.values().forEach(seen::addAll);
    Map<Names, Long> broken = new HashMap<>();
    views.forEach((name, sees) -> {
      for (String other : seen) {
        // a node that nobody sees is new, or is lost to all
        if (!other.equals(name) && !sees.contains(other) && seen.contains(name)) {
          Names pair = Names.of(name, other);
          broken.put(pair, since.getOrDefault(pair, now));
        }
      }
    });
    since.clear();
    since.putAll(broken);
  }

  /// Those that have been broken for [#SETTLED_NANOS], by name.
  List<Pair> settled(long now) {
    List<Pair> settled = new ArrayList<>();
    since.forEach((names, from) -> {
      if (now - from >= SETTLED_NANOS) {
        settled.add(new Pair(names.one, names.other, now - from));
      }
    });
    return List.copyOf(settled);
  }
}
