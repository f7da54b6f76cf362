// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.node.ClusterNode.BrokenPair;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The tables of `heddle ps` and `heddle dump`, of fixed figures.
class ClusterViewTest {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");

  private static NodeInfo node(
      @Nullable String name,
      NodeInfo.State state,
      @Nullable Duration ping,
      @Nullable String reason,
      @Nullable Instant endedAt) {
    return new NodeInfo(
        name,
        name == null ? 0 : 1_498_020_602,
        name == null ? "to 10.0.0.14:7600" : name,
        state,
        name == null ? Map.of() : Map.of("role", "cart"),
        List.of(),
        "b".equals(name),
        ping == null ? null : new NodeInfo.Lease(Duration.ofMillis(420), 3, 86),
        ping == null ? 0 : 1_204,
        ping,
        ping == null ? 0 : 4 << 20,
        ping == null ? 0 : 2_048,
        ping == null ? 0 : 256 << 10,
        0,
        ping == null ? 0 : 1,
        2,
        1,
        0,
        ping != null,
        reason,
        endedAt);
  }

  private static final ClusterView VIEW = view(List.of());

  private static ClusterView view(List<String> voters) {
    return new ClusterView(
        "a",
        "shop",
        "10.0.0.11:7600",
        voters,
        List.of(
            node("a", NodeInfo.State.UP, null, null, null),
            node("b", NodeInfo.State.UP, Duration.ofNanos(312_000), null, null),
            node("c", NodeInfo.State.LOST, null, "SILENCE: \"6 s\"", NOW.minusSeconds(75)),
            node(null, NodeInfo.State.GREETING, null, "it speaks no TLS", null)),
        List.of(new BrokenPair("b", "c", Duration.ofSeconds(14))),
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

  @Test
  void text_hasALineForEachNode_withReasonsBelow_within100Columns() {
    assertThat(VIEW.text())
        .isEqualTo(
            """
            Node 'a' of cluster 'shop' at 10.0.0.11:7600: in touch with 1 other node
            NODE  STATE              LIFE    PING   OUTBOX  UNACKED     WINDOW  HELD  PAUSED  REFUSED  DROPPED  LABELS
            a     UP           1498020602                                                                       role=cart
            b     UP, stalled  1498020602  0.3 ms  4.0 MiB  2.0 KiB  256.0 KiB     0       1      2/1        0  role=cart
            c     LOST         1498020602                0        0          0     0       0      2/1        0  role=cart
              SILENCE: "6 s" (1 min 15 s ago)
            GREETING to 10.0.0.14:7600: it speaks no TLS
            Broken pair: 'b' and 'c' have not been in touch with each other for 14 s.
            """);
  }

  @Test
  @Tag("C6")
  void text_withVoters_hasTheLeader_andLeases() {
    assertThat(view(List.of("a", "b", "c")).text())
        .contains(
            """
            Voters a, b, c: 'b' leads
            NODE  STATE              LIFE    PING   OUTBOX  UNACKED     WINDOW  HELD  PAUSED  REFUSED  DROPPED  LEASE  NAMES  SHARDS  ENTITIES  LABELS
            a     UP           1498020602                                                                                                       role=cart
            b     UP, stalled  1498020602  0.3 ms  4.0 MiB  2.0 KiB  256.0 KiB     0       1      2/1        0  0.4 s      3      86      1204  role=cart
            """);
    assertThat(view(List.of("x")).json())
        .contains(
            "\"voters\":[\"x\"]",
            "\"leader\":true,\"lease\":{\"ageMillis\":420,\"names\":3,\"shards\":86},"
                + "\"entities\":1204,");
  }

  @Test
  void json_hasAllOfIt() {
    assertThat(VIEW.json())
        .startsWith(
            "{\"node\":\"a\",\"cluster\":\"shop\",\"address\":\"10.0.0.11:7600\",\"voters\":[],")
        .contains(
            "\"nodes\":[{", "\"name\":\"b\"", "\"state\":\"UP\"", "\"labels\":{\"role\":\"cart\"}")
        .contains("\"roundTripMicros\":312", "\"outboxBytes\":4194304", "\"stalled\":true")
        .contains("\"unacknowledgedBytes\":2048,\"windowBytes\":262144,\"heldBytes\":0,")
        .contains("\"reason\":\"SILENCE: \\\"6 s\\\"\",\"endedAt\":\"2026-11-27T09:58:45Z\"")
        .contains("\"name\":null", "\"address\":\"to 10.0.0.14:7600\"")
        .endsWith("\"brokenPairs\":[{\"one\":\"b\",\"other\":\"c\",\"seconds\":14}]}");
  }
}
