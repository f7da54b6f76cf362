// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;

/// Internet addresses in the form that sockets need.
final class Internet {
  private Internet() {}

  /// The address, if it is a resolved internet address.
  static InetSocketAddress resolved(SocketAddress address) throws UnknownHostException {
    if (!(address instanceof InetSocketAddress inet)) {
      throw new IllegalArgumentException(
          "not an internet address: " + address + "; Unix opens UNIX domain sockets");
    }
    if (inet.isUnresolved()) {
      throw new UnknownHostException(inet.getHostString());
    }
    return inet;
  }

  static ProtocolFamily family(InetSocketAddress address) {
    return address.getAddress() instanceof Inet4Address
        ? StandardProtocolFamily.INET
        : StandardProtocolFamily.INET6;
  }

  /// The family of a socket that is bound to an address: the wildcard address serves both.
  static ProtocolFamily familyToBind(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    return host.isAnyLocalAddress() ? StandardProtocolFamily.INET6 : family(address);
  }
}
