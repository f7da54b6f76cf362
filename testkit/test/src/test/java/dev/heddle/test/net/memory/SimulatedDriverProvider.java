// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.test.time.RealTurns;

/// The simulated driver in real time, on a network of one host, for the core's conformance suite.
public final class SimulatedDriverProvider implements DriverProvider {
  /// For the JDK's service loader.
  public SimulatedDriverProvider() {}

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public String description() {
    return "a network in memory; for tests";
  }

  @Override
  public int priority() {
    return -1; // only when it is asked for
  }

  @Override
  public ReactorDriver open(DriverHost host) {
    RealTurns turns = new RealTurns();
    MemoryNetwork network = new MemoryNetwork(turns, 1);
    return network.driver(network.host("localhost"), turns.join(), null);
  }
}
