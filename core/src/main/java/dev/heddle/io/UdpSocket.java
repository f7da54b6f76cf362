// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.Registration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;

/// Datagrams of UDP.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=udp}
///
/// @since 0.1
public interface UdpSocket extends DatagramSocket {
  /// Receives what is sent to a multicast group, too. [Udp#multicast] opens a socket for it.
  ///
  /// @return leaves the group
  Registration join(InetAddress group, NetworkInterface on) throws IOException;
}
