// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Parses addresses in the syntax of the system's files.
final class Literals {
  private static final int DNS_PORT = 53;
  private static final int MAX_PORT = 65_535;

  private Literals() {}

  /// The address, for IPv6 also with a zone; null if malformed.
  static @Nullable InetAddress address(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /// A name server: an address, `IPv4:port` or `[IPv6]:port`; null if malformed.
  static @Nullable InetSocketAddress server(String text) {
    InetAddress plain = address(text);
    if (plain != null) {
      return new InetSocketAddress(plain, DNS_PORT);
    }
    int colon = text.lastIndexOf(':');
    if (colon < 0 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      return null;
    }
    InetAddress address = address(text.substring(0, colon).replaceAll("^\\[(.*)]$", "$1"));
    int port = Integer.parseInt(text.substring(colon + 1));
    return address == null || port > MAX_PORT ? null : new InetSocketAddress(address, port);
  }
}
