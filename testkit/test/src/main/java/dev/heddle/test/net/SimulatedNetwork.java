// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import dev.heddle.Registration;
import dev.heddle.io.SrvRecord;
import dev.heddle.test.net.Link.Partition;
import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.time.Timeline;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A network in memory: hosts, the links between them, and what goes wrong on these.
///
/// Sockets that a program opens on Heddle's loop behave as those of Linux, but all times, losses
/// and orders come from the seed: the same seed gives the same packets at the same times. Each host
/// has the addresses `10.0.0.n` and `fd00::n`, and is found by its name.
///
/// Within a host, TCP and UDP take the loopback link, on which nothing goes wrong; UNIX sockets and
/// pipes take no time at all.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=network}
///
/// **Thread** that of the loop whose turn it is, or the one that builds the world, before it
/// begins.
public final class SimulatedNetwork {
  static final int MAX_UNIX_PATH = 107; // bytes, Linux's limit

  private static final int MAX_HOSTS = 250;

  private final Timeline clock;
  private final Chance chance;
  private final Map<String, SimulatedHost> hosts = new LinkedHashMap<>();
  private final Map<InetAddress, SimulatedHost> byAddress = new LinkedHashMap<>();
  private final Map<Route, Link> links = new LinkedHashMap<>();
  private final Map<String, List<InetAddress>> names = new HashMap<>();
  private final Map<String, List<SrvRecord>> services = new HashMap<>();
  private final List<Consumer<? super NetworkEvent>> observers = new ArrayList<>();
  private LinkOptions usual = LinkOptions.defaults();
  private Faults faults = Faults.defaults();
  private long fingerprint;

  private record Route(SimulatedHost from, SimulatedHost to) {}

  /// A network without hosts.
  ///
  /// @param clock on which everything in it happens
  /// @param seed of all chance in it
  public SimulatedNetwork(Timeline clock, long seed) {
    this.clock = clock;
    this.chance = new Chance(seed);
  }

  // ---- hosts and links ----

  /// The host with a name, added at the first call.
  ///
  /// @throws IllegalStateException when there are 250
  public SimulatedHost host(String name) {
    return hosts.computeIfAbsent(name, this::newHost);
  }

  private SimulatedHost newHost(String name) {
    int number = hosts.size() + 1;
    if (number > MAX_HOSTS) {
      throw new IllegalStateException("a simulated network has at most " + MAX_HOSTS + " hosts");
    }
    List<InetAddress> addresses =
        List.of(
            InetAddress.ofLiteral("10.0.0." + number),
            InetAddress.ofLiteral("fd00::" + Integer.toHexString(number)));
    SimulatedHost host = new SimulatedHost(this, name, addresses);
    addresses.forEach(address -> byAddress.put(address, host));
    return host;
  }

  /// All hosts, in the order in which they were added.
  public List<SimulatedHost> hosts() {
    return List.copyOf(hosts.values());
  }

  /// The host that an address leads to from another.
  @Nullable SimulatedHost hostOf(SimulatedHost from, InetAddress address) {
    return from.owns(address) ? from : byAddress.get(address);
  }

  /// The link from one host to another, in this direction.
  public Link link(SimulatedHost from, SimulatedHost to) {
    return links.computeIfAbsent(new Route(from, to), this::newLink);
  }

  private Link newLink(Route route) {
    if (route.from != route.to) {
      return new Link(this, usual);
    }
    Link loopback = new Link(this, LinkOptions.loopback());
    loopback.setFaults(Faults.defaults());
    return loopback;
  }

  /// What links are like that nothing else is said of: those that no packet has taken yet.
  public void setLinkOptions(LinkOptions changed) {
    usual = changed;
  }

  // ---- names ----

  /// Changes what addresses a name has. The names of hosts have those of the hosts, unless they are
  /// changed here.
  ///
  /// @param addresses none: the name is not found
  public void setName(String name, InetAddress... addresses) {
    names.put(name, List.of(addresses));
  }

  /// Changes what SRV records a name has.
  public void setServices(String name, SrvRecord... records) {
    services.put(name, List.of(records));
  }

  List<InetAddress> addressesOf(String name) {
    List<InetAddress> own = names.get(name);
    SimulatedHost host = hosts.get(name);
    if (own != null || host == null) {
      return own != null ? own : name.equals("localhost") ? SimulatedHost.LOOPBACK : List.of();
    }
    return host.addresses();
  }

  List<SrvRecord> servicesOf(String name) {
    return services.getOrDefault(name, List.of());
  }

  long nameNanos() {
    return usual.latency().draw(chance) + usual.latency().draw(chance);
  }

  // ---- faults ----

  /// Changes what goes wrong, from now on.
  public void setFaults(Faults changed) {
    faults = changed;
  }

  /// What goes wrong.
  public Faults faults() {
    return faults;
  }

  /// Cuts all links between two groups of hosts, in both directions.
  ///
  /// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=partition}
  ///
  /// @return heals them
  public Registration partition(
      Collection<SimulatedHost> some, Collection<SimulatedHost> others, Partition how) {
    List<Link> between = new ArrayList<>();
    for (SimulatedHost one : some) {
      for (SimulatedHost other : others) {
        between.add(link(one, other));
        between.add(link(other, one));
      }
    }
    between.forEach(link -> link.cut(how));
    return () -> between.forEach(Link::heal);
  }

  // ---- what happens ----

  /// Has `observer` called with each event, in order. It must not suspend, nor use the network.
  ///
  /// @return ends that
  public Registration observe(Consumer<? super NetworkEvent> observer) {
    observers.add(observer);
    return () -> observers.remove(observer);
  }

  /// A number that two runs share when the same has happened in them at the same times.
  public long fingerprint() {
    return fingerprint;
  }

  void report(Kind kind, StreamEnd from, StreamEnd to, byte[] bytes) {
    report(kind, from.name(), to.name(), bytes.length, Flow.hash(bytes));
  }

  void report(Kind kind, String from, String to, int bytes, int hash) {
    NetworkEvent event = new NetworkEvent(clock.nanoTime(), kind, from, to, bytes, hash);
    // not of the record: the hash code of an enum differs from run to run
    fingerprint = fingerprint * 31 + event.toString().hashCode();
    observers.forEach(observer -> observer.accept(event));
  }

  Timeline clock() {
    return clock;
  }

  Chance chance() {
    return chance;
  }
}
