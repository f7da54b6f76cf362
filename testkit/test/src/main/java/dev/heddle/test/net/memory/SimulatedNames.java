// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.Heddle;
import dev.heddle.io.SrvRecord;
import dev.heddle.io.TxtRecord;
import dev.heddle.io.dns.NameResolver;
import dev.heddle.test.net.Faults;
import dev.heddle.test.net.NetworkEvent.Kind;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;

/// Looks up names from a host. A look-up takes the way to a name server and back; one that gets no
/// answer is given up after 10 s, as with the usual `resolv.conf`: 2 attempts of 5 s.
final class SimulatedNames implements NameResolver {
  private static final Duration UNANSWERED = Duration.ofSeconds(10);

  private final Traffic traffic;
  private final NameTable table;
  private final String host;
  private final LongSupplier duration;

  /// @param host the name of the host that asks
  /// @param duration how long the next look-up takes, in nanoseconds
  SimulatedNames(Traffic traffic, NameTable table, String host, LongSupplier duration) {
    this.traffic = traffic;
    this.table = table;
    this.host = host;
    this.duration = duration;
  }

  private void ask(String name) throws UnknownHostException {
    Faults faults = traffic.faults();
    if (traffic.chance().happens(Chance.Concern.NAME_FAILURE, faults.nameFailure())) {
      Heddle.delay(UNANSWERED);
      throw new UnknownHostException(name + ": Temporary failure in name resolution");
    }
    Heddle.delay(Duration.ofNanos(duration.getAsLong()));
    traffic.report(Kind.NAME, host, name);
  }

  /// Looks up a name for the JDK, whose look-ups cannot wait here.
  ///
  /// @return one address or more
  /// @throws UnknownHostException when no host has it
  List<InetAddress> addressesNow(String name) throws UnknownHostException {
    List<InetAddress> found = new ArrayList<>();
    for (InetAddress address : table.addressesOf(name)) {
      found.add(InetAddress.getByAddress(name, address.getAddress()));
    }
    traffic.report(Kind.NAME, host, name);
    if (found.isEmpty()) {
      throw new UnknownHostException(name + ": Name or service not known");
    }
    return found;
  }

  /// The name of the host that has an address; the address as text: none has it.
  String nameNow(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return "localhost";
    }
    String found = table.nameOf(host, address);
    return found == null ? address.getHostAddress() : found;
  }

  @Override
  public List<InetAddress> addresses(String name, LookupPolicy policy) throws UnknownHostException {
    ask(name);
    List<InetAddress> found = new ArrayList<>();
    for (InetAddress address : table.addressesOf(name)) {
      int family = address instanceof Inet4Address ? LookupPolicy.IPV4 : LookupPolicy.IPV6;
      if ((policy.characteristics() & family) != 0) {
        found.add(InetAddress.getByAddress(name, address.getAddress()));
      }
    }
    if (found.isEmpty()) {
      throw new UnknownHostException(name + ": Name or service not known");
    }
    if ((policy.characteristics() & LookupPolicy.IPV6_FIRST) != 0) {
      Collections.reverse(found);
    }
    return found;
  }

  @Override
  public String name(byte[] address) throws UnknownHostException {
    InetAddress asked = InetAddress.getByAddress(address);
    ask(asked.getHostAddress());
    String found = table.nameOf(host, asked);
    if (found == null) {
      throw new UnknownHostException(asked.getHostAddress());
    }
    return found;
  }

  @Override
  public List<SrvRecord> services(String name) throws UnknownHostException {
    ask(name);
    List<SrvRecord> found = table.servicesOf(name);
    if (found.isEmpty()) {
      throw new UnknownHostException(name + ": no SRV records");
    }
    return found;
  }

  @Override
  public List<TxtRecord> texts(String name) throws UnknownHostException {
    ask(name);
    throw new UnknownHostException(name + ": no TXT records: a simulated network has none");
  }
}
