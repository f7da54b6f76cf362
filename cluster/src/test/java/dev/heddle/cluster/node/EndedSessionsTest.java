// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class EndedSessionsTest {
  private static final Ending WHY = new Ending(Cause.SILENCE, "test");

  private final EndedSessions ended = new EndedSessions();

  private static Introduction node(int number) {
    return new Introduction(
        "shop", new NodeLife("n" + number, "main", 1), 0, 1, 1, 0, Map.of(), List.of());
  }

  @Test
  void nodesThatComeAndGo_areForgotten_theOldestFirst() {
    for (int i = 0; i < EndedSessions.MOST; i++) {
      assertThat(ended.put(node(i), WHY)).isNull();
    }
    assertThat(ended.put(node(0), WHY)).isNull(); // the newest now
    assertThat(ended.put(node(1_000), WHY)).isEqualTo("n1");
    assertThat(ended.all()).hasSize(EndedSessions.MOST).containsKeys("n0", "n2", "n1000");
    assertThat(ended.get("n1")).isNull();
  }
}
