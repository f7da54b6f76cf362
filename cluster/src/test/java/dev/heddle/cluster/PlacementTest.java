// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.Placement.Candidate;
import dev.heddle.cluster.node.NodeLoad;
import dev.heddle.process.StartRefusedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Which node gets a process, with fixed loads.
class PlacementTest {
  private static final int TIMES = 3_000;

  private final Map<String, NodeLoad> loads = new HashMap<>();
  private final Placement placement = new Placement("a", loads::get, new Random(42));

  private static Candidate node(String name, String role) {
    return new Candidate(name, Map.of("role", role), List.of("cart"));
  }

  private Map<String, Integer> counts(Place place, Candidate... nodes) {
    Map<String, Integer> counts = new TreeMap<>();
    for (int i = 0; i < TIMES; i++) {
      counts.merge(placement.choose("cart", place, List.of(nodes)), 1, Integer::sum);
    }
    return counts;
  }

  @Test
  void leastLoaded_ofTwo_isTheBetterOne() {
    loads.put("a", new NodeLoad(2, 3, 10));
    loads.put("b", new NodeLoad(2, 0, 900));
    assertThat(counts(Place.anywhere().leastLoaded(), node("a", "x"), node("b", "x")))
        .isEqualTo(Map.of("b", TIMES));
  }

  @Test
  void leastLoaded_ofThree_spareTheWorst_andGivesTheBestTwoThirds() {
    loads.put("a", new NodeLoad(2, 0, 30));
    loads.put("b", new NodeLoad(2, 0, 20));
    loads.put("c", new NodeLoad(2, 0, 10));
    Map<String, Integer> counts =
        counts(Place.anywhere().leastLoaded(), node("a", "x"), node("b", "x"), node("c", "x"));
    assertThat(counts).containsOnlyKeys("b", "c");
    assertThat(counts.get("c")).isBetween(TIMES * 6 / 10, TIMES * 73 / 100); // of the seed
  }

  @Test
  void leastLoaded_countsForEachWorker() {
    loads.put("a", new NodeLoad(8, 4, 100)); // half a process a worker
    loads.put("b", new NodeLoad(2, 2, 0)); // one
    assertThat(counts(Place.anywhere().leastLoaded(), node("a", "x"), node("b", "x")))
        .isEqualTo(Map.of("a", TIMES));
  }

  @Test
  void leastLoaded_choosesAmongTheLabelledOnly() {
    loads.put("a", new NodeLoad(2, 9, 9));
    loads.put("b", new NodeLoad(2, 0, 0));
    Place place = Place.label("role", "back").leastLoaded();
    assertThat(counts(place, node("a", "back"), node("b", "front"))).isEqualTo(Map.of("a", TIMES));
    assertThatThrownBy(() -> placement.choose("cart", place, List.of(node("b", "front"))))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage("a node with the labels {role=back} is not in touch with node 'a'");
  }

  @Test
  void nodeThatHasToldNothing_isChosenOnlyWhenTheOtherHasNeither() {
    loads.put("a", new NodeLoad(2, 9, 9));
    assertThat(counts(Place.anywhere().leastLoaded(), node("a", "x"), node("b", "x")))
        .isEqualTo(Map.of("a", TIMES));
    loads.clear();
    assertThat(counts(Place.anywhere().leastLoaded(), node("a", "x"), node("b", "x")))
        .containsOnlyKeys("a", "b");
  }

  @Test
  void withoutLeastLoaded_loadsAreNotLookedAt() {
    loads.put("a", new NodeLoad(2, 9, 9));
    loads.put("b", new NodeLoad(2, 0, 0));
    assertThat(counts(Place.anywhere(), node("a", "x"), node("b", "x"))).containsOnlyKeys("a", "b");
    assertThat(counts(Place.on("a"), node("a", "x"), node("b", "x"))).isEqualTo(Map.of("a", TIMES));
  }
}
