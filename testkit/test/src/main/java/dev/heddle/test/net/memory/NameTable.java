// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.io.SrvRecord;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What the name servers of a network know.
final class NameTable {
  private static final String LOCALHOST = "localhost";

  private final Function<String, List<InetAddress>> hosts;
  private final Function<InetAddress, @Nullable String> namesOfHosts;
  private final Map<String, List<InetAddress>> names = new HashMap<>();
  private final Map<String, List<SrvRecord>> services = new HashMap<>();

  NameTable(
      Function<String, List<InetAddress>> hosts,
      Function<InetAddress, @Nullable String> namesOfHosts) {
    this.hosts = hosts;
    this.namesOfHosts = namesOfHosts;
  }

  void setName(String name, List<InetAddress> addresses) {
    names.put(name, addresses);
  }

  void setServices(String name, List<SrvRecord> records) {
    services.put(name, records);
  }

  /// Empty: there is no such name.
  List<InetAddress> addressesOf(String name) {
    List<InetAddress> own = names.getOrDefault(name, hosts.apply(name));
    return own.isEmpty() && name.equals(LOCALHOST) ? Addresses.LOOPBACK : own;
  }

  /// That of the host with an address, as another one sees it; null: none has it.
  ///
  /// @param self the name of the other one
  @Nullable String nameOf(String self, InetAddress address) {
    return address.isLoopbackAddress() || address.isAnyLocalAddress()
        ? self
        : namesOfHosts.apply(address);
  }

  List<SrvRecord> servicesOf(String name) {
    return services.getOrDefault(name, List.of());
  }
}
