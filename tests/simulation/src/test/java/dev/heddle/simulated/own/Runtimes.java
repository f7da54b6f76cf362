// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessRuntimeBuilder;
import dev.heddle.simulated.program.Threads;
import java.time.Duration;

/// Runtimes with the parts of production in a simulation: their workers, their timers and their
/// monitor are threads that the simulation runs.
///
/// A runtime that a coroutine starts would get the parts of a simulation. One that an ordinary
/// thread starts gets those of production.
final class Runtimes {
  // the scheduler's monitor ends within a second of a shutdown, which does not wait for it
  private static final Duration MONITOR = Duration.ofSeconds(2);

  private Runtimes() {}

  /// What a program does with a runtime.
  @FunctionalInterface
  interface Use {
    void accept(ProcessRuntime runtime) throws Exception;
  }

  /// Starts a runtime on a thread of the program, and shuts it down when `use` has ended.
  static void on(Threads threads, ProcessRuntimeBuilder builder, Use use) {
    threads.start(() -> {
      try (ProcessRuntime runtime = builder.start()) {
        use.accept(runtime);
      }
      Thread.sleep(MONITOR);
    });
  }
}
