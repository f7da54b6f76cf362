// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The addresses of a host.
///
/// @param own those in the network
record Addresses(List<InetAddress> own) {
  private static final InetAddress LOOPBACK4 = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress LOOPBACK6 = InetAddress.ofLiteral("::1");

  static final List<InetAddress> LOOPBACK = List.of(LOOPBACK4, LOOPBACK6);

  /// Whether packets to an address stay within the host.
  boolean owns(InetAddress address) {
    return address.isLoopbackAddress() || address.isAnyLocalAddress() || own.contains(address);
  }

  void requireOwn(InetAddress address) throws BindException {
    if (!owns(address)) {
      throw new BindException("Cannot assign requested address");
    }
  }

  /// The address that packets to a destination carry as their sender's.
  InetAddress sourceFor(@Nullable InetSocketAddress bound, InetAddress destination) {
    if (bound != null && !bound.getAddress().isAnyLocalAddress()) {
      return bound.getAddress();
    }
    boolean four = destination instanceof Inet4Address;
    if (destination.isLoopbackAddress() || destination.isAnyLocalAddress()) {
      return four ? LOOPBACK4 : LOOPBACK6;
    }
    if (own.contains(destination)) {
      return destination;
    }
    return own.stream()
        .filter(address -> address instanceof Inet4Address == four)
        .findFirst()
        .orElse(own.getFirst());
  }

  /// Where packets to an address go: a wildcard leads to the host itself.
  static InetSocketAddress destination(InetSocketAddress to) {
    InetAddress address = to.getAddress();
    if (!address.isAnyLocalAddress()) {
      return to;
    }
    return new InetSocketAddress(
        address instanceof Inet4Address ? LOOPBACK4 : LOOPBACK6, to.getPort());
  }
}
