// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCPPING;
import org.jgroups.util.Responses;

/// Asks at the seeds for other nodes, and resolves their host names each time: a name of DNS may
/// stand for several addresses, and for others tomorrow.
///
/// While a node joins, it asks several times. Nodes that knew its last life connect to its place
/// again and again; when one does so just as this node connects to it, one of the two connections
/// is closed, with the question. Without an answer the node begins on its own, and MERGE3 takes
/// seconds to ask again.
final class SeedDiscovery extends TCPPING {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");

  private static final int SEARCHES = 4; // while the node joins

  private final List<InetSocketAddress> seeds; // unresolved
  private final AtomicInteger searches = new AtomicInteger();

  SeedDiscovery(List<InetSocketAddress> seeds) {
    this.seeds = seeds;
    setId(ClassConfigurator.getProtocolId(TCPPING.class));
    setPortRange(0);
    num_discovery_runs = SEARCHES;
    initial_hosts_set_programmatically = true; // they are set at each search
  }

  /// For tests: how often it has asked while the node joined.
  int searches() {
    return searches.get();
  }

  @Override
  public void findMembers(List<Address> members, boolean initial, Responses responses) {
    if (initial) {
      searches.incrementAndGet();
    }
    initial_hosts = resolve();
    super.findMembers(members, initial, responses);
  }

  private Set<org.jgroups.PhysicalAddress> resolve() {
    var all = new LinkedHashSet<org.jgroups.PhysicalAddress>();
    for (InetSocketAddress seed : seeds) {
      try {
        for (InetAddress address : InetAddress.getAllByName(seed.getHostString())) {
          all.add(new org.jgroups.stack.IpAddress(address, seed.getPort()));
        }
      } catch (UnknownHostException e) {
        // A name without an address yet is the start of a cluster.
        LOG.log(System.Logger.Level.DEBUG, "seed {0} has no address", seed.getHostString());
      }
    }
    return all;
  }
}
