// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import dev.heddle.Registration;
import dev.heddle.io.SrvRecord;
import dev.heddle.test.net.Link.Partition;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/// The network of a simulation: hosts, the links between them, and what goes wrong on these. Not
/// for implementation: it grows.
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
/// **Suspends** never. **Thread** a coroutine of the simulation.
///
/// @since 0.1
public interface SimulatedNetwork {
  /// The host with a name, added at the first call.
  ///
  /// @throws IllegalStateException when there are 250
  SimulatedHost host(String name);

  /// All hosts, in the order in which they were added.
  List<SimulatedHost> hosts();

  /// The link from one host to another, in this direction.
  Link link(SimulatedHost from, SimulatedHost to);

  /// Changes what links are like that nothing else is said of: those that no packet has taken yet.
  void setLinkOptions(LinkOptions changed);

  /// Changes what addresses a name has. The names of hosts have those of the hosts, unless they are
  /// changed here.
  ///
  /// @param addresses none: the name is not found
  void setName(String name, InetAddress... addresses);

  /// Changes what SRV records a name has.
  void setServices(String name, SrvRecord... records);

  /// Changes what goes wrong, from now on.
  void setFaults(Faults changed);

  /// What goes wrong.
  Faults faults();

  /// Cuts all links between two groups of hosts, in both directions. Links that several partitions
  /// cut are healed with the last one.
  ///
  /// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=partition}
  ///
  /// @return heals them
  Registration partition(
      Collection<? extends SimulatedHost> some,
      Collection<? extends SimulatedHost> others,
      Partition how);

  /// Has `observer` called with each event, in order. It must not suspend, nor use the network.
  ///
  /// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=events}
  ///
  /// @return ends that
  Registration observe(Consumer<? super NetworkEvent> observer);

  /// A number that two runs share when the same has happened in them at the same times.
  long fingerprint();
}
