// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.DataInput;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.UUID;

/// The lowest protocol of the stack: TCP, with limits on what it reads, and with what it learns of
/// other nodes told at once.
///
/// **Thread** those of JGroups.
final class NodeTransport extends TCP {
  // A bundle has at most 64,000 bytes, and a fragment 60,000: no message of the stack is larger.
  static final int FRAME_BYTES = 128 * 1024;

  private static final int ID_BYTES = 2 * Long.BYTES; // of a description of an address
  private static final int PORT_BYTES = Short.BYTES;

  private static final int NODES = 1024; // more than a cluster has, some of which have restarted

  private final Consumer<Address> found;
  private final Consumer<Address> closed;
  private final Consumer<Address> suspected;

  // Which node is at a place. JGroups has the same in a cache, which loses nodes that are in no
  // view, and those are the ones whose closed connection nobody else would notice.
  private final Map<PhysicalAddress, Address> nodes =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<PhysicalAddress, Address> eldest) {
              return size() > NODES;
            }
          });

  NodeTransport(Consumer<Address> found, Consumer<Address> closed, Consumer<Address> suspected) {
    this.found = found;
    this.closed = closed;
    this.suspected = suspected;
  }

  @Override
  protected boolean addPhysicalAddressToCache(
      Address logical, PhysicalAddress physical, boolean overwrite) {
    boolean added = super.addPhysicalAddressToCache(logical, physical, overwrite);
    if (logical != null && physical != null && !logical.equals(local_addr)) {
      nodes.put(physical, logical);
      found.accept(logical);
    }
    return added;
  }

  /// The id of a node and its place, as [#learn] reads them; empty when the place is not known.
  byte[] describe(Address logical) {
    if (!(logical instanceof UUID id
        && getPhysicalAddressFromCache(logical) instanceof IpAddress place
        && place.getIpAddress() != null)) {
      return new byte[0];
    }
    byte[] ip = place.getIpAddress().getAddress();
    return ByteBuffer.allocate(ID_BYTES + PORT_BYTES + ip.length)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .putShort((short) place.getPort())
        .put(ip)
        .array();
  }

  /// Learns where a node is, unless that is known.
  void learn(byte[] description) {
    try {
      ByteBuffer in = ByteBuffer.wrap(description);
      UUID id = new UUID(in.getLong(), in.getLong());
      int port = Short.toUnsignedInt(in.getShort());
      byte[] ip = new byte[in.remaining()];
      in.get(ip);
      IpAddress place = new IpAddress(InetAddress.getByAddress(ip), port); // asks no DNS
      if (getPhysicalAddressFromCache(id) == null) {
        var _ = addPhysicalAddressToCache(id, place, false);
      } else {
        found.accept(id);
      }
    } catch (BufferUnderflowException | UnknownHostException e) {
      log.debug("not the address of a node", e);
    }
  }

  /// Sends over a connection, which it may have to make first. Where it is refused nobody listens:
  /// a node that lives does so until its end.
  @Override
  public void sendUnicast(PhysicalAddress to, byte[] bytes, int offset, int length)
      throws Exception {
    try {
      super.sendUnicast(to, bytes, offset, length);
    } catch (ConnectException e) {
      Address peer = nodes.get(to);
      if (peer != null) {
        suspected.accept(peer);
      }
      throw e;
    }
  }

  @Override
  public void connectionClosed(Connection connection) {
    if (connected && connection.peerAddress() instanceof PhysicalAddress physical) {
      Address peer = nodes.get(physical);
      if (peer != null && !isReplaced(physical, connection)) {
        closed.accept(peer);
      }
    }
    super.connectionClosed(connection);
  }

  /// Whether there is another connection to the same place: two nodes that connect to each other at
  /// the same time close one of the two.
  private boolean isReplaced(PhysicalAddress place, Connection closed) {
    AtomicBoolean hasOther = new AtomicBoolean();
    srv.forAllConnections((address, other) -> {
      if (other != closed && other.isConnected() && address.equals(place)) {
        hasOther.set(true);
      }
    });
    return hasOther.get();
  }

  /// Reads one frame. An exception ends the connection.
  @Override
  public void receive(Address from, DataInput in, int length) throws Exception {
    if (length < 3 || length > FRAME_BYTES) {
      throw new IOException("a frame of " + length + " bytes from " + from);
    }
    byte[] frame = new byte[length];
    in.readFully(frame);
    receive(from, frame, 0, length);
  }

  @Override
  protected void handleSingleMessage(DataInput in, boolean multicast) {
    try {
      Message message = ReceivedMessages.readMessage((ByteArrayDataInputStream) in);
      if (multicast || !unicastDestMismatch(message.getDest())) {
        msg_processing_policy.process(message, message.isFlagSet(Message.Flag.OOB));
        msg_stats.received(message);
      }
    } catch (Exception e) {
      log.warn("a broken message", e);
    }
  }

  @Override
  protected void handleMessageBatch(DataInput in, boolean multicast) {
    try {
      MessageBatch[] batches = ReceivedMessages.readBatch((ByteArrayDataInputStream) in, multicast);
      for (int i = 1; i >= 0; i--) { // the urgent ones first
        if (batches[i] != null) {
          msg_stats.received(batches[i]);
          processBatch(batches[i], i == 1);
        }
      }
    } catch (Exception e) {
      log.warn("a broken batch of messages", e);
    }
  }

  /// Ends the connection to a node that has ended, unless another one is at its place now.
  void dropEnded(Address logical) {
    PhysicalAddress physical = getPhysicalAddressFromCache(logical);
    if (physical != null && logical.equals(nodes.get(physical))) {
      drop(logical);
    }
  }

  /// For tests: whether there is a connection to a node.
  boolean isConnectedTo(Address logical) {
    PhysicalAddress physical = getPhysicalAddressFromCache(logical);
    AtomicBoolean isConnected = new AtomicBoolean();
    srv.forAllConnections((peer, connection) -> {
      if (peer.equals(physical) && connection.isConnected()) {
        isConnected.set(true);
      }
    });
    return isConnected.get();
  }

  /// Ends the connection to a node at once: writers that wait for it wait no longer.
  void drop(Address logical) {
    PhysicalAddress physical = getPhysicalAddressFromCache(logical);
    if (physical == null || srv == null) {
      return;
    }
    srv.forAllConnections((peer, connection) -> {
      if (peer.equals(physical)) {
        close(connection);
      }
    });
  }

  private static void close(Connection connection) {
    try {
      connection.close(false); // not gracefully: that would write, and wait
    } catch (IOException e) {
      // safe: the connection is not used again
    }
  }
}
