// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.file.memory.MemoryFiles;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.net.memory.MemoryNetwork;
import dev.heddle.test.time.Timeline;
import dev.heddle.test.time.Turns;

/// What the loop of a run has instead of the operating system: a host of a network, and files.
///
/// **Thread** the carrier of the run.
///
/// @param network that of the run
/// @param host on which the loop runs
/// @param files those of the host
public record Machine(MemoryNetwork network, SimulatedHost host, SimulatedFiles files) {
  private static final String HOST = "main"; // a loop of one run has no other name

  static Machine of(Timeline turn, long seed) {
    MemoryNetwork network = new MemoryNetwork(turn, seed);
    return new Machine(network, network.host(HOST), new MemoryFiles(HOST, seed));
  }

  HostDriver driver(Turns.Turn turn) {
    return network.driver(host, turn, files);
  }
}
