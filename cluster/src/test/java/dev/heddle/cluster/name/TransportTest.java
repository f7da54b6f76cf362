// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.JGroupsEngine;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.ProcessRuntime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TransportTest {
  /// Else the calls of a voter wait for answers that never come.
  @Test
  void endOfASession_isToldWithTheNameOfItsNode() {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).node("a").start();
        ClusterNode node =
            new ClusterNode( // not started
                new JGroupsEngine(new JGroupsEngine.Settings("a", any, 0, List.of(), null)),
                runtime,
                new ClusterNode.Settings(
                    "shop",
                    Map.of(),
                    MessageTypes.of(List.of(), List.of()),
                    new PeerOptions(Map.of(), PeerOptions.ForeignOrders.REFUSED),
                    (_, _) -> {},
                    Features.of(0)))) {
      Transport transport = new Transport(node);
      List<String> ended = new ArrayList<>();
      transport.onSessionEnd(ended::add);
      NodeLife other = new NodeLife("b", "main", 1);
      transport.opened(other);
      transport.ended(other);
      assertThat(ended).containsExactly("b");
    }
  }
}
