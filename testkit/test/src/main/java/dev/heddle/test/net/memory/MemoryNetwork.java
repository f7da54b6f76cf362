// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.Registration;
import dev.heddle.io.SrvRecord;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.net.Faults;
import dev.heddle.test.net.Link;
import dev.heddle.test.net.Link.Partition;
import dev.heddle.test.net.LinkOptions;
import dev.heddle.test.net.NetworkEvent;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.net.SimulatedNetwork;
import dev.heddle.test.time.Timeline;
import dev.heddle.test.time.Turns;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A network in memory.
public final class MemoryNetwork implements SimulatedNetwork, Routes {
  private static final int MAX_HOSTS = 250;

  private final Traffic traffic;
  private final NameTable names;
  private final Map<String, MemoryHost> hosts = new LinkedHashMap<>();
  private final Map<InetAddress, MemoryHost> byAddress = new LinkedHashMap<>();
  private final Map<Route, MemoryLink> links = new LinkedHashMap<>();
  private LinkOptions usual = LinkOptions.defaults();

  private record Route(Site from, Site to) {}

  /// A network without hosts.
  ///
  /// @param clock on which everything in it happens
  /// @param seed of all chance in it
  public MemoryNetwork(Timeline clock, long seed) {
    this.traffic = new Traffic(clock, seed);
    this.names = new NameTable(this::addressesOfHost, this::nameOfHost);
  }

  // ---- loops on its hosts ----

  /// The driver of a loop that will run on a host.
  ///
  /// @param turn in which it sleeps
  /// @param files those of the host; null: it has none but the machine's
  public HostDriver driver(SimulatedHost host, Turns.Turn turn, @Nullable SimulatedFiles files) {
    MemoryHost own = (MemoryHost) host; // safe: there is no other implementation
    SimulatedNames lookups = new SimulatedNames(traffic, names, own.name(), this::nameNanos);
    return new SimulatedDriver(own, lookups, turn, traffic.clock(), files);
  }

  /// Puts a host back on the network, after a crash.
  public void restart(SimulatedHost host) {
    ((MemoryHost) host).restart(); // safe: there is no other implementation
  }

  // ---- hosts and links ----

  @Override
  public SimulatedHost host(String name) {
    return hosts.computeIfAbsent(name, this::newHost);
  }

  private MemoryHost newHost(String name) {
    int number = hosts.size() + 1;
    if (number > MAX_HOSTS) {
      throw new IllegalStateException("a simulated network has at most " + MAX_HOSTS + " hosts");
    }
    List<InetAddress> addresses =
        List.of(
            InetAddress.ofLiteral("10.0.0." + number),
            InetAddress.ofLiteral("fd00::" + Integer.toHexString(number)));
    MemoryHost host = new MemoryHost(this, traffic, name, addresses);
    addresses.forEach(address -> byAddress.put(address, host));
    return host;
  }

  @Override
  public List<SimulatedHost> hosts() {
    return List.copyOf(hosts.values());
  }

  @Override
  public List<Peer> peers() {
    return List.copyOf(hosts.values());
  }

  @Override
  public @Nullable Peer peerAt(InetAddress address) {
    return byAddress.get(address);
  }

  @Override
  public Link link(SimulatedHost from, SimulatedHost to) {
    return link((Site) from, (Site) to); // safe: there is no other implementation
  }

  @Override
  public MemoryLink link(Site from, Site to) {
    return links.computeIfAbsent(
        new Route(from, to),
        _ -> from == to ? MemoryLink.loopback(traffic) : new MemoryLink(traffic, usual));
  }

  @Override
  public void setLinkOptions(LinkOptions changed) {
    usual = changed;
  }

  // ---- names ----

  @Override
  public void setName(String name, InetAddress... addresses) {
    names.setName(name, List.of(addresses));
  }

  @Override
  public void setServices(String name, SrvRecord... records) {
    names.setServices(name, List.of(records));
  }

  private List<InetAddress> addressesOfHost(String name) {
    MemoryHost host = hosts.get(name);
    return host == null ? List.of() : host.addresses();
  }

  private @Nullable String nameOfHost(InetAddress address) {
    MemoryHost host = byAddress.get(address);
    return host == null ? null : host.name();
  }

  // there and back
  private long nameNanos() {
    return MemoryLink.drawLatency(usual.latency(), traffic.chance())
        + MemoryLink.drawLatency(usual.latency(), traffic.chance());
  }

  // ---- faults ----

  @Override
  public void setFaults(Faults changed) {
    traffic.setFaults(changed);
  }

  @Override
  public Faults faults() {
    return traffic.faults();
  }

  @Override
  public Registration partition(
      Collection<? extends SimulatedHost> some,
      Collection<? extends SimulatedHost> others,
      Partition how) {
    List<Registration> cuts = new ArrayList<>();
    for (SimulatedHost one : some) {
      for (SimulatedHost other : others) {
        cuts.add(link((Site) one, (Site) other).cut(how));
        cuts.add(link((Site) other, (Site) one).cut(how));
      }
    }
    return () -> cuts.forEach(Registration::close);
  }

  // ---- what happens ----

  @Override
  public Registration observe(Consumer<? super NetworkEvent> observer) {
    return traffic.observe(observer);
  }

  @Override
  public long fingerprint() {
    return traffic.fingerprint();
  }
}
