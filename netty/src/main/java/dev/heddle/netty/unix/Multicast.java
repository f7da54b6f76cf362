// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import static dev.heddle.netty.unix.PlatformConstants.IPPROTO_IP;
import static dev.heddle.netty.unix.PlatformConstants.IPPROTO_IPV6;
import static dev.heddle.netty.unix.PlatformConstants.LINUX;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Multicast options, which a dual-stack socket has for each family: they are set for both and read
/// from IPv6.
final class Multicast {
  private static final int MAX_HOPS = 255;
  private static final int MREQN = 12; // struct ip_mreqn: group, address, index of the interface
  private static final int MREQ6 = 20; // struct ipv6_mreq: group, index of the interface

  private static final int IP_MULTICAST_IF = LINUX ? 32 : 9;
  private static final int IP_MULTICAST_TTL = LINUX ? 33 : 10;
  private static final int IP_MULTICAST_LOOP = LINUX ? 34 : 11;
  private static final int IP_ADD_MEMBERSHIP = LINUX ? 35 : 12;
  private static final int IP_DROP_MEMBERSHIP = LINUX ? 36 : 13;
  private static final int IPV6_MULTICAST_IF = LINUX ? 17 : 9;
  private static final int IPV6_MULTICAST_HOPS = LINUX ? 18 : 10;
  private static final int IPV6_MULTICAST_LOOP = LINUX ? 19 : 11;
  private static final int IPV6_JOIN_GROUP = LINUX ? 20 : 12;
  private static final int IPV6_LEAVE_GROUP = LINUX ? 21 : 13;

  // fragmentation, Linux only
  private static final int IP_MTU_DISCOVER = 10;
  private static final int IPV6_MTU_DISCOVER = 23;
  private static final int PMTUDISC_DONT = 0;
  private static final int PMTUDISC_DO = 2;

  private Multicast() {}

  static void setHops(NativeSocket socket, int hops) throws IOException {
    if (hops < 0 || hops > MAX_HOPS) {
      throw new IllegalArgumentException("IP_MULTICAST_TTL is 0 to 255, not " + hops);
    }
    set(socket, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, hops);
  }

  static int hops(NativeSocket socket) throws IOException {
    return get(socket, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS);
  }

  static void setLoop(NativeSocket socket, boolean loop) throws IOException {
    set(socket, IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, loop ? 1 : 0);
  }

  static boolean isLoop(NativeSocket socket) throws IOException {
    return get(socket, IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP) != 0;
  }

  static void setUnfragmented(NativeSocket socket, boolean whole) throws IOException {
    set(socket, IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, whole ? PMTUDISC_DO : PMTUDISC_DONT);
  }

  static boolean isUnfragmented(NativeSocket socket) throws IOException {
    return get(socket, IP_MTU_DISCOVER, IPV6_MTU_DISCOVER) == PMTUDISC_DO;
  }

  static void setInterface(NativeSocket socket, NetworkInterface on) throws IOException {
    if (socket.isIPv6()) {
      socket.setIntOpt(IPPROTO_IPV6, IPV6_MULTICAST_IF, on.getIndex());
    }
    if (!socket.isIPv6() || LINUX) {
      ByteBuffer request = ByteBuffer.allocateDirect(MREQN).order(ByteOrder.nativeOrder());
      request.putInt(MREQN - Integer.BYTES, on.getIndex());
      socket.setRawOpt(IPPROTO_IP, IP_MULTICAST_IF, request);
    }
  }

  static NetworkInterface outgoing(NativeSocket socket) throws IOException {
    if (!socket.isIPv6()) {
      throw new UnsupportedOperationException(
          "IP_MULTICAST_IF of an IPv4 socket cannot be read here");
    }
    int index = socket.getIntOpt(IPPROTO_IPV6, IPV6_MULTICAST_IF);
    NetworkInterface found = index == 0 ? null : NetworkInterface.getByIndex(index);
    if (found == null) {
      throw new IOException("no interface is set for multicast: the system's routes choose it");
    }
    return found;
  }

  /// Makes a socket a member of a group, or ends its membership.
  static void setMember(NativeSocket socket, InetAddress group, NetworkInterface on, boolean joins)
      throws IOException {
    if (!group.isMulticastAddress()) {
      throw new IllegalArgumentException(group + " is not a multicast group");
    }
    boolean ipv4 = group instanceof Inet4Address;
    ByteBuffer request = ByteBuffer.allocateDirect(ipv4 ? MREQN : MREQ6).put(group.getAddress());
    request.order(ByteOrder.nativeOrder()).putInt(request.limit() - 4, on.getIndex()).rewind();
    int number4 = joins ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP;
    int number6 = joins ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP;
    try {
      socket.setRawOpt(ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? number4 : number6, request);
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private static void set(NativeSocket socket, int number4, int number6, int value)
      throws IOException {
    if (socket.isIPv6()) {
      socket.setIntOpt(IPPROTO_IPV6, number6, value);
    }
    if (!socket.isIPv6() || LINUX) {
      socket.setIntOpt(IPPROTO_IP, number4, value);
    }
  }

  private static int get(NativeSocket socket, int number4, int number6) throws IOException {
    return socket.isIPv6()
        ? socket.getIntOpt(IPPROTO_IPV6, number6)
        : socket.getIntOpt(IPPROTO_IP, number4);
  }
}
