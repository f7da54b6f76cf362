// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import static dev.heddle.netty.unix.PlatformConstants.IPPROTO_IP;
import static dev.heddle.netty.unix.PlatformConstants.IPPROTO_IPV6;
import static dev.heddle.netty.unix.PlatformConstants.IPV6_JOIN_GROUP;
import static dev.heddle.netty.unix.PlatformConstants.IPV6_LEAVE_GROUP;
import static dev.heddle.netty.unix.PlatformConstants.IP_ADD_MEMBERSHIP;
import static dev.heddle.netty.unix.PlatformConstants.IP_DROP_MEMBERSHIP;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A socket's membership in a multicast group.
final class Membership {
  private static final int MREQN = 12; // struct ip_mreqn: group, address, index of the interface
  private static final int MREQ6 = 20; // struct ipv6_mreq: group, index of the interface

  private final NativeSocket socket;
  private final boolean ipv4;
  private final ByteBuffer request;

  Membership(NativeSocket socket, InetAddress group, NetworkInterface on) {
    if (!group.isMulticastAddress()) {
      throw new IllegalArgumentException(group + " is not a multicast group");
    }
    this.socket = socket;
    this.ipv4 = group instanceof Inet4Address;
    this.request =
        ByteBuffer.allocateDirect(ipv4 ? MREQN : MREQ6)
            .order(ByteOrder.nativeOrder())
            .put(group.getAddress());
    if (ipv4) {
      request.putInt(0);
    }
    request.putInt(on.getIndex()).flip();
  }

  void join() throws IOException {
    request(IP_ADD_MEMBERSHIP, IPV6_JOIN_GROUP);
  }

  void leave() throws IOException {
    request(IP_DROP_MEMBERSHIP, IPV6_LEAVE_GROUP);
  }

  private void request(int number4, int number6) throws IOException {
    try {
      socket.setRawOpt(
          ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? number4 : number6, request.rewind());
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }
}
