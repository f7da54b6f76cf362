// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The system's hosts file: each line has an address, its name and further names. See hosts(5).
///
/// @param addresses by lower-case name, without duplicates, in the order of the file
/// @param names by address
record HostsFile(Map<String, Set<InetAddress>> addresses, Map<InetAddress, String> names) {
  static HostsFile parse(List<String> lines) {
    Map<String, Set<InetAddress>> addresses = new HashMap<>();
    Map<InetAddress, String> names = new HashMap<>();
    for (String line : lines) {
      int comment = line.indexOf('#');
      String text = comment < 0 ? line : line.substring(0, comment);
      String[] words = text.strip().split("\\s+");
      InetAddress address = words.length < 2 ? null : Literals.address(words[0]);
      if (address == null) {
        continue; // empty or malformed, which the system skips, too
      }
      names.putIfAbsent(address, words[1]);
      for (int i = 1; i < words.length; i++) {
        String name = words[i].toLowerCase(Locale.ROOT);
        addresses.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(address);
      }
    }
    return new HostsFile(addresses, names);
  }

  /// The addresses of a lower-case name, possibly none.
  List<InetAddress> addressesOf(String name) {
    return List.copyOf(addresses.getOrDefault(name, Set.of()));
  }

  @Nullable String nameOf(InetAddress address) {
    return names.get(address);
  }
}
