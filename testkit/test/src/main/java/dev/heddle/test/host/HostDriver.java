// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.host;

import dev.heddle.io.dns.NameResolver;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.test.time.Turns;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// The driver of a loop that runs on a simulated host.
public interface HostDriver extends ReactorDriver {
  /// Looks up names from the host. **Thread** any.
  NameResolver names();

  /// Where it sleeps.
  Turns.Turn turn();

  /// The number of waits that only the network can end.
  int waits();

  /// Whether a call in a direction would not block.
  ///
  /// @param descriptor one of this driver
  boolean isReady(Descriptor descriptor, Direction direction);

  /// The number of bytes that a read would give at once.
  ///
  /// @param socket one of this driver
  int available(SocketDescriptor socket);

  /// Looks up a name, without the time that it takes: for callers that cannot suspend.
  ///
  /// @return one address or more
  /// @throws UnknownHostException when no host has it
  List<InetAddress> addressesNow(String name) throws UnknownHostException;

  /// The name of the host that has an address; the address as text: none has it.
  String nameNow(InetAddress address);

  /// The first address of the host.
  InetAddress address();

  /// Cuts the power of the host: what is open is gone, and no peer is told. **Thread** that of the
  /// loop whose turn it is.
  void crash();
}
