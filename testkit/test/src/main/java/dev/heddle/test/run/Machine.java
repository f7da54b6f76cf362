// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.net.SimulatedNetwork;
import org.jspecify.annotations.Nullable;

/// What the loop of a run has instead of the operating system: a host of a network, and files.
///
/// **Thread** the carrier of the run.
///
/// @param network that of the run
/// @param host on which the loop runs
/// @param files those of the host
public record Machine(SimulatedNetwork network, SimulatedHost host, SimulatedFiles files) {
  private static final String HOST = "main"; // a loop of one run has no other name

  static Machine of(RunTurn turn, long seed) {
    SimulatedNetwork network = new SimulatedNetwork(turn, seed);
    return new Machine(network, network.host(HOST), new SimulatedFiles(HOST, seed));
  }

  HostDriver driver(RunTurn turn) {
    return host.driver(turn, files);
  }

  /// That of the current coroutine's run; null: its loop is not one of a run.
  public static @Nullable Machine currentOrNull() {
    return of(LoopRuntime.current());
  }

  /// That of the run which a loop belongs to; null: it belongs to none.
  static @Nullable Machine of(LoopRuntime loop) {
    return loop.scheduler().reactor().driver() instanceof HostDriver driver
            && driver.turn() instanceof RunTurn turn
        ? turn.machine()
        : null;
  }
}
