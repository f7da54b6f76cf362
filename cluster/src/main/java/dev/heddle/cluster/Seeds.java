// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads addresses of nodes.
final class Seeds {
  private static final Pattern ADDRESS =
      Pattern.compile(
          "(?:\\[(?<six>[0-9a-fA-F:.%\\w]+)]|(?<host>[^\\[\\]:\\s]+)):(?<port>\\d{1,5})");

  private Seeds() {}

  /// @return unresolved
  /// @throws IllegalArgumentException when it is not `host:port`
  static InetSocketAddress parse(String address) {
    Matcher parts = ADDRESS.matcher(address);
    int port = parts.matches() ? Integer.parseInt(parts.group("port")) : 0;
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "'%s' is no address of a node; write host:port, as 10.0.0.11:7600 or [fd00::11]:7600"
              .formatted(address));
    }
    String six = parts.group("six");
    return InetSocketAddress.createUnresolved(six == null ? parts.group("host") : six, port);
  }
}
