// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Which pairs of nodes count as broken, in virtual time.
class BrokenPairsTest {
  private static final long SECOND = 1_000_000_000L;

  private final BrokenPairs pairs = new BrokenPairs();

  private void seconds(int from, int to, Map<String, Set<String>> views) {
    for (int second = from; second <= to; second++) {
      pairs.update(views, second * SECOND);
    }
  }

  private static final Map<String, Set<String>> ALL_SEE_ALL =
      Map.of("a", Set.of("b", "c"), "b", Set.of("a", "c"), "c", Set.of("a", "b"));

  private static final Map<String, Set<String>> B_AND_C_ARE_CUT =
      Map.of("a", Set.of("b", "c"), "b", Set.of("a"), "c", Set.of("a"));

  @Test
  void pairOfOthers_countsAfterTenSeconds_andNoLongerWhenTheyMeet() {
    seconds(0, 0, ALL_SEE_ALL);
    seconds(1, 10, B_AND_C_ARE_CUT);
    assertThat(pairs.settled(10 * SECOND)).isEmpty();
    seconds(11, 11, B_AND_C_ARE_CUT);
    assertThat(pairs.settled(11 * SECOND))
        .containsExactly(new BrokenPairs.Pair("b", "c", 10 * SECOND));
    seconds(12, 12, ALL_SEE_ALL);
    assertThat(pairs.settled(12 * SECOND)).isEmpty();
  }

  @Test
  void pairOfThisNode_isKnownFromAThirdOne() {
    // this node, a, has lost c; so it hears nothing of c any more
    seconds(0, 11, Map.of("a", Set.of("b"), "b", Set.of("a", "c")));
    assertThat(pairs.settled(11 * SECOND))
        .containsExactly(new BrokenPairs.Pair("a", "c", 11 * SECOND));
  }

  @Test
  void aNodeThatIsLostToAll_isInNoPair() {
    seconds(0, 0, ALL_SEE_ALL);
    // noticed by a at once, by b eight seconds later
    seconds(1, 8, Map.of("a", Set.of("b"), "b", Set.of("a", "c")));
    seconds(9, 30, Map.of("a", Set.of("b"), "b", Set.of("a")));
    assertThat(pairs.settled(30 * SECOND)).isEmpty();
  }

  @Test
  void aNodeAlone_isInNoPair() {
    seconds(0, 30, Map.of("a", Set.of()));
    assertThat(pairs.settled(30 * SECOND)).isEmpty();
  }

  @Test
  void whatAnUnheardNodeSees_isNotGuessed() {
    // c tells b, not a: a knows nothing of what c sees
    seconds(0, 30, Map.of("a", Set.of("b", "c"), "b", Set.of("a", "c")));
    assertThat(pairs.settled(30 * SECOND)).isEmpty();
  }
}
