// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.net.InetAddress;
import java.util.List;

/// A host of a simulated network. Not for implementation: it grows.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=network}
///
/// **Suspends** never. **Thread** a coroutine of the simulation.
///
/// @since 0.1
public interface SimulatedHost {
  /// Its name, which other hosts find its addresses by.
  String name();

  /// Its addresses in the network; that within the host, `127.0.0.1`, is not among them.
  List<InetAddress> addresses();

  /// Its first address in the network.
  InetAddress address();

  /// Whether it answers: it does not after a crash, until a program starts there.
  boolean isUp();
}
