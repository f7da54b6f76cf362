// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.JGroupsEngine;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.process.ProcessRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/// A node of another release at a port of loopback: it speaks other versions of the wire.
public record OtherVersion(ProcessRuntime runtime, JGroupsEngine engine, ClusterNode node)
    implements AutoCloseable {
  /// Starts one.
  ///
  /// @param seed the port of another node
  public static OtherVersion join(
      String cluster, String name, int port, int seed, int oldest, int newest) throws IOException {
    var at = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    var seeds = List.of(InetSocketAddress.createUnresolved("127.0.0.1", seed));
    var engine = new JGroupsEngine(new JGroupsEngine.Settings(name, at, port, seeds, null));
    ProcessRuntime runtime = ProcessRuntime.builder().workers(1).node(name).start();
    var settings =
        new ClusterNode.Settings(
            cluster,
            Map.of(),
            MessageTypes.of(List.of(), List.of()),
            new PeerOptions(Map.of(), PeerOptions.ForeignOrders.CARRIED_OUT),
            (_, _) -> {},
            Features.of(0));
    var node = new ClusterNode(engine, runtime, settings, oldest, newest);
    node.start();
    return new OtherVersion(runtime, engine, node);
  }

  @Override
  public void close() {
    node.close();
    runtime.close();
  }
}
