// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.DatagramHandle;
import dev.heddle.io.handle.Preparation;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;

/// Opens UDP sockets on the current loop.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=udp}
///
/// @since 0.1
public final class Udp {
  private Udp() {}

  /// Opens a socket bound to an address; port 0 lets the system choose. **Suspends** never.
  ///
  /// @throws BindException when the address is in use or not local; the message names it
  /// @throws IOException when the system refuses otherwise
  public static UdpSocket bind(SocketAddress address) throws IOException {
    InetSocketAddress local = Internet.resolved(address);
    return open(Internet.familyToBind(local), socket -> bind(socket, local));
  }

  /// Opens a socket connected to one peer: its reads and writes are datagrams from and to it.
  /// **Suspends** never.
  ///
  /// @throws UnknownHostException when the address was not resolved
  /// @throws IOException when the system refuses otherwise
  public static UdpSocket connect(SocketAddress peer) throws IOException {
    InetSocketAddress remote = Internet.resolved(peer);
    return open(Internet.family(remote), socket -> socket.connect(remote));
  }

  /// Opens a socket that can [join][UdpSocket#join] a multicast group: of the group's family, and
  /// bound to its port, which it shares with other sockets of this machine. **Suspends** never.
  ///
  /// @throws BindException when the port is in use by a socket that does not share it
  /// @throws IllegalArgumentException when the address is not a multicast address
  public static UdpSocket multicast(InetSocketAddress group) throws IOException {
    InetSocketAddress known = Internet.resolved(group);
    if (!known.getAddress().isMulticastAddress()) {
      throw new IllegalArgumentException("not a multicast address: " + group);
    }
    return open(
        Internet.family(known),
        socket -> {
          socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
          bind(socket, new InetSocketAddress(known.getPort()));
        });
  }

  private static void bind(DatagramDescriptor socket, InetSocketAddress address)
      throws IOException {
    try {
      socket.bind(address);
    } catch (SocketException e) {
      BindException named = new BindException(address + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    }
  }

  private static UdpSocket open(ProtocolFamily family, Preparation<DatagramDescriptor> preparation)
      throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    DatagramDescriptor descriptor = scheduler.reactor().driver().openDatagram(family);
    try {
      preparation.prepare(descriptor);
      return new DatagramHandle(scheduler, descriptor, "UDP");
    } catch (IOException | RuntimeException e) {
      descriptor.close();
      throw e;
    }
  }
}
