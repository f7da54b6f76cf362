// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.Registration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;

/// A UDP socket.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=udp}
///
/// @since 0.1
public interface UdpSocket extends DatagramSocket {
  /// Joins a multicast group, to receive its datagrams, too. Open the socket with [Udp#multicast].
  ///
  /// @return a registration whose close leaves the group
  Registration join(InetAddress group, NetworkInterface on) throws IOException;
}
