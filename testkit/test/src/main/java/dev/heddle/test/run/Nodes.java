// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Action;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.time.ClockDrift;
import java.time.Duration;
import java.util.random.RandomGenerator;

/// The nodes of a run, as programs start them.
///
/// **Thread** the holder of the turn.
public interface Nodes {
  /// The host of a name, added at the first call.
  SimulatedHost host(String name);

  /// The files of a host, which outlive the programs on it.
  SimulatedFiles files(SimulatedHost host);

  /// Starts a loop on a host.
  ///
  /// @param clock how the host's clock differs from the time of the simulation
  /// @param ended called on the carrier of the run when the loop has ended
  /// @throws IllegalStateException when a program runs there already
  Handle start(SimulatedHost host, ClockDrift clock, Action program, Runnable ended);

  /// Follows from the seed of the run.
  RandomGenerator random();

  /// The virtual time since the beginning of the run.
  Duration elapsed();

  /// A loop that was started.
  interface Handle {
    /// Ends it as a loss of power does. Its carrier runs no code of the program any more. Called by
    /// the program itself, it does not return.
    void crash();

    /// Whether it has crashed.
    boolean hasCrashed();

    /// Lets it have no turn, as a stopped process. Its sockets stay.
    ///
    /// @throws IllegalStateException when its own program calls this
    void pause();

    /// Ends a pause.
    void resume();

    /// Has it stop: its coroutines are cancelled.
    void stop(String why);
  }
}
