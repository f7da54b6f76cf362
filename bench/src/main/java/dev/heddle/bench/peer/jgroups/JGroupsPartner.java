// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.jgroups;

import dev.heddle.bench.partner.Partner;
import dev.heddle.bench.partner.Window;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jgroups.Address;
import org.jspecify.annotations.Nullable;

/// The other node: sends pings back, and counts items.
public final class JGroupsPartner implements Partner {
  static final byte PING = 1;
  static final byte ITEMS = 2;
  static final byte CREDIT = 3;
  static final int ITEM_BYTES = 100;
  // kind, sender, how many items
  static final int HEAD_BYTES = 6;

  private final AtomicLongArray counted = new AtomicLongArray(Window.SENDERS);
  private volatile @Nullable JGroupsNode node;

  /// A partner.
  public JGroupsPartner() {}

  static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public String start(String... arguments) throws Exception {
    int port = freePort();
    node = new JGroupsNode(port, List.of(), this::received);
    return Integer.toString(port);
  }

  private void received(Address from, byte[] bytes, int offset, int length) {
    JGroupsNode here = node;
    if (here == null) {
      return; // safe: nobody knows the port before the node is there
    }
    if (bytes[offset] == PING) {
      byte[] answer = new byte[length];
      System.arraycopy(bytes, offset, answer, 0, length);
      here.send(from, answer, length);
      return;
    }
    ByteBuffer packet = ByteBuffer.wrap(bytes, offset, length);
    packet.get();
    int sender = packet.get();
    int items = packet.getInt();
    for (int i = 0; i < items; i++) {
      // an item becomes an object of its own here, too
      byte[] item = new byte[ITEM_BYTES];
      packet.get(item);
      long now = counted.addAndGet(sender, item[0]);
      if (now % Window.CREDIT == 0) {
        here.send(from, new byte[] {CREDIT, (byte) sender}, 2);
      }
    }
  }
}
