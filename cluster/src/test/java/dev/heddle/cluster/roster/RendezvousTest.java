// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RendezvousTest {
  private static final List<String> NODES = List.of("a", "b", "c", "d");

  @Test
  void choose_spreadsKeys_andTheOrderOfTheNodesDoesNotMatter() {
    Map<String, Integer> counts = new HashMap<>();
    for (int key = 0; key < 4_000; key++) {
      String node = String.valueOf(Rendezvous.choose("cart/" + key, NODES));
      assertThat(Rendezvous.choose("cart/" + key, NODES.reversed())).isEqualTo(node);
      counts.merge(node, 1, Integer::sum);
    }

    assertThat(counts.values()).hasSize(4).allMatch(count -> count > 850 && count < 1_150);
  }

  @Test
  void choose_withoutANode_movesOnlyItsKeys() {
    for (int key = 0; key < 1_000; key++) {
      String before = String.valueOf(Rendezvous.choose("cart/" + key, NODES));
      String after = String.valueOf(Rendezvous.choose("cart/" + key, List.of("a", "b", "d")));

      assertThat(after.equals(before) || before.equals("c")).isTrue();
    }
    assertThat(Rendezvous.choose("cart/1", List.of())).isNull();
  }

  @Test
  void hash_isTheSameInEveryRelease() {
    assertThat(Rendezvous.hash("")).isEqualTo(-1166397803181037274L);
    assertThat(Rendezvous.hash("cart/42")).isEqualTo(-7296324992729611080L);
  }
}
