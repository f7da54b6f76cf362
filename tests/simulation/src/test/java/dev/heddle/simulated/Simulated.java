// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import dev.heddle.Action;
import dev.heddle.DeadlockError;
import dev.heddle.simulated.program.Program;
import dev.heddle.simulated.program.Threads;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.SimulationResult;
import dev.heddle.test.Strategy;
import dev.heddle.test.run.RealTimeWaitError;
import dev.heddle.test.run.UnendingRunError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Runs programs in a simulation. The only class here that uses the simulation's API.
public final class Simulated {
  // a library tells its threads to end as it is closed, and does not wait for them
  private static final SimulationOptions OPTIONS = SimulationOptions.defaults().withoutLeakChecks();

  private Simulated() {}

  /// Runs a program once.
  static Ending run(Program program, Search search, long seed) {
    SimulationOptions options = OPTIONS.withSeed(seed).withStrategy(strategy(search));
    SimulationResult<?> result =
        Simulation.record(
            options,
            () -> {
              program.run();
              return null;
            });
    return ending(result.failure());
  }

  /// Runs a task with several seeds.
  ///
  /// @return the virtual time of the last run
  /// @throws AssertionError when a run fails
  public static Duration virtually(Threads.Task task) {
    Duration elapsed = Duration.ZERO;
    for (int seed = 0; seed < 3; seed++) {
      elapsed = Simulation.run(OPTIONS.withSeed(seed), task::run).elapsed();
    }
    return elapsed;
  }

  /// Runs a task with several seeds, each with classes of its own, for libraries that have a thread
  /// or a queue in a static field.
  ///
  /// @param task of a class that can be made anew
  /// @param packages of the libraries
  /// @return the virtual time of the last run
  /// @throws AssertionError when a run fails
  public static Duration virtuallyAnew(Action task, String... packages) {
    SimulationOptions fresh = OPTIONS.withFreshClasses(packages);
    Duration elapsed = Duration.ZERO;
    for (int seed = 0; seed < 3; seed++) {
      elapsed = Simulation.run(fresh.withSeed(seed), task).elapsed();
    }
    return elapsed;
  }

  private static Strategy strategy(Search search) {
    return switch (search) {
      case WALK -> Strategy.randomWalk();
      case PCT_3 -> Strategy.pct(3);
      case PCT_15 -> Strategy.pct(15);
      case STALLS -> Strategy.randomWalk().withStalls(10);
      case WAKE_UPS -> Strategy.randomWalk().withSpuriousWakeUps(3);
    };
  }

  private static Ending ending(@Nullable Throwable failure) {
    return switch (failure) {
      case null -> new Ending(Ending.Kind.PASSED, "");
      case DeadlockError _ -> new Ending(Ending.Kind.DEADLOCK, "");
      case RealTimeWaitError e -> new Ending(Ending.Kind.REFUSED, e.toString());
      case UnendingRunError e -> new Ending(Ending.Kind.REFUSED, e.toString());
      default -> new Ending(Ending.Kind.FAILURE, failure.toString());
    };
  }
}
