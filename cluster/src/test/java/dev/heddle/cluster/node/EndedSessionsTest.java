// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class EndedSessionsTest {
  private static final Ending WHY = new Ending(Cause.SILENCE, "test");

  private final EndedSessions ended = new EndedSessions();

  private static EndedSessions.Ended node(int number) {
    Introduction other =
        new Introduction(
            "shop", new NodeLife("n" + number, "main", 1), 0, 1, 1, 0, Map.of(), List.of());
    return new EndedSessions.Ended(
        other, WHY, Instant.EPOCH, new RemoteNode.Counters(0, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void nodesThatComeAndGo_areForgotten_theOldestFirst() {
    for (int i = 0; i < EndedSessions.MOST; i++) {
      assertThat(ended.put(node(i))).isNull();
    }
    assertThat(ended.put(node(0))).isNull(); // the newest now
    assertThat(ended.put(node(1_000))).isEqualTo("n1");
    assertThat(ended.all()).hasSize(EndedSessions.MOST).containsKeys("n0", "n2", "n1000");
    assertThat(ended.get("n1")).isNull();
  }
}
