// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.node.NodeLoad;
import dev.heddle.process.StartRefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Chooses the node for a process, among this one and those in touch.
///
/// @param self the name of this node
/// @param loads what each node has last told of its load; null when it has told nothing
record Placement(String self, Function<String, @Nullable NodeLoad> loads, RandomGenerator random) {
  /*
   * The better of two at random, not the best of all: loads are up to a second old, so all nodes
   * would start everything of that second at the one node that was best when it began. With two,
   * the most loaded node gets the fewest, and none gets all. (Mitzenmacher, The Power of Two
   * Choices in Randomized Load Balancing, 2001)
   */

  /// A node that may be chosen.
  ///
  /// @param entries what may be started there
  record Candidate(String node, Map<String, String> labels, Collection<String> entries) {}

  /// The name of a node at a place that has the entry.
  ///
  /// @throws StartRefusedException when there is none
  String choose(String entry, Place place, List<Candidate> candidates) {
    List<String> fitting = new ArrayList<>();
    List<String> without = new ArrayList<>();
    for (Candidate one : candidates) {
      if (isAt(place, one)) {
        (one.entries.contains(entry) ? fitting : without).add(one.node);
      }
    }
    if (fitting.isEmpty()) {
      throw new StartRefusedException(
          without.isEmpty()
              ? "%s is not in touch with node '%s'".formatted(place, self)
              : "'%s' is no entry of %s, nodes in touch there: %s"
                  .formatted(entry, place, String.join(", ", without)),
          null);
    }
    String first = fitting.remove(random.nextInt(fitting.size()));
    if (!(place instanceof Place.LeastLoaded) || fitting.isEmpty()) {
      return first;
    }
    return better(first, fitting.get(random.nextInt(fitting.size())));
  }

  private String better(String one, String other) {
    NodeLoad first = loads.apply(one);
    NodeLoad second = loads.apply(other);
    if (first == null || second == null) {
      return first == null && second != null ? other : one;
    }
    return second.compareTo(first) < 0 ? other : one;
  }

  private static boolean isAt(Place place, Candidate one) {
    return switch (place) {
      case Place.On(String node) -> node.equals(one.node);
      case Place.Labelled(var wanted) -> one.labels.entrySet().containsAll(wanted.entrySet());
      case Place.LeastLoaded(var among) -> isAt(among, one);
    };
  }
}
