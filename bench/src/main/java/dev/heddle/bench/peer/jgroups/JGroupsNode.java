// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.jgroups;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.util.MessageBatch;

/// A channel with the stack of Heddle's engine, of JGroups' own protocols.
final class JGroupsNode implements AutoCloseable {
  private static final long LOOK_NANOS = 1_000_000;
  private static final int CONNECT_MILLIS = 1_000;
  private static final int FRAGMENT_BYTES = 60_000;

  private final JChannel channel;

  /// A node that finds another.
  ///
  /// @param port where it listens at loopback; 0 for a free one
  /// @param others where the other is
  /// @param receiver on threads of JGroups
  JGroupsNode(int port, List<InetSocketAddress> others, OnMessage receiver) throws Exception {
    var tcp = new TCP();
    tcp.setBindAddress(InetAddress.getLoopbackAddress());
    tcp.setBindPort(port);
    tcp.setPortRange(0);
    tcp.tcpNodelay(true);
    tcp.setSockConnTimeout(CONNECT_MILLIS);
    tcp.enableSuspectEvents(true);
    tcp.useVirtualThreads(false);
    tcp.setMessageProcessingPolicy("max");
    var bundler = new PerDestinationBundler();
    bundler.useSingleSenderThread(false);
    tcp.setBundler(bundler);
    tcp.disableDiagnostics();
    var seeds = new TCPPING();
    seeds.setInitialHosts(others);
    seeds.setPortRange(0);
    channel =
        new JChannel(
            tcp,
            seeds,
            new MERGE3().setMinInterval(1_000).setMaxInterval(3_000),
            new FD_ALL3().setTimeout(8_000).setInterval(2_000),
            new VERIFY_SUSPECT2().setTimeout(1_000),
            new NAKACK2().useMcastXmit(false),
            new UNICAST3(),
            new STABLE().setDesiredAverageGossip(50_000).setMaxBytes(4_000_000),
            new GMS().setJoinTimeout(500).printLocalAddress(false),
            new FRAG4().setFragSize(FRAGMENT_BYTES));
    channel.setDiscardOwnMessages(true);
    channel.setReceiver(new Messages(receiver));
    channel.connect("bench");
  }

  /// What a node does with a message.
  interface OnMessage {
    void received(Address from, byte[] bytes, int offset, int length);
  }

  /// Waits until the other node is in the view.
  Address other() {
    while (channel.getView().size() < 2) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return channel.getView().getMembers().stream()
        .filter(member -> !member.equals(channel.getAddress()))
        .findFirst()
        .orElseThrow();
  }

  void send(Address to, byte[] bytes, int length) {
    try {
      channel.send(new BytesMessage(to, bytes, 0, length));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    channel.close();
  }

  /// One by one, also those that came together.
  private record Messages(OnMessage receiver) implements Receiver {
    @Override
    public void receive(Message message) {
      if (message.hasArray() && message.getSrc() != null) {
        receiver.received(
            message.getSrc(), message.getArray(), message.getOffset(), message.getLength());
      }
    }

    @Override
    public void receive(MessageBatch batch) {
      for (Message message : batch) {
        receive(message);
      }
    }
  }
}
