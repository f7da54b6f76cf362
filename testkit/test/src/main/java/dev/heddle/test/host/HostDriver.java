// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.host;

import dev.heddle.io.dns.NameResolver;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.test.time.Turns;

/// The driver of a loop that runs on a simulated host.
public interface HostDriver extends ReactorDriver {
  /// Looks up names from the host. **Thread** any.
  NameResolver names();

  /// Where it sleeps.
  Turns.Turn turn();

  /// The number of waits that only the network can end.
  int waits();

  /// Cuts the power of the host: what is open is gone, and no peer is told. **Thread** that of the
  /// loop whose turn it is.
  void crash();
}
