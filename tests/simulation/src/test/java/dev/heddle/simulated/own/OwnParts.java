// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.passes;

import dev.heddle.simulated.program.Program;
import java.util.List;

/// The programs of this room.
public final class OwnParts {
  private OwnParts() {}

  /// Those of threads: points in Heddle's classes are where these are preempted.
  public static List<Program> ofThreads() {
    return List.of(
        passes("ThreadChannels", ThreadChannels::run),
        passes("Calls.offload", Calls::offload),
        passes("Calls.pool", Calls::pool),
        passes("Executors", Executors::run),
        passes("Streams.publish", Streams::publish),
        passes("Streams.receive", Streams::receive));
  }

  /// Those of processes, on the workers of production.
  public static List<Program> ofWorkers() {
    return List.of(
        passes("Mailboxes", Mailboxes::run),
        passes("Endings", Endings::run),
        passes("BlockedSteps", BlockedSteps::run));
  }

  /// Those of coroutines, and of processes that a simulation steps: they run alone between waits.
  public static List<Program> ofCoroutines() {
    return List.of(
        passes("Guards", Guards::run),
        passes("Operators", Operators::run),
        passes("Supervisors", Supervisors::run));
  }
}
