// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Limits;
import dev.heddle.test.run.SimulatedLoop;
import dev.heddle.world.WorldAgent;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Makes single runs.
final class Runs {
  // programs that have run; by name, so that no class is kept
  private static final Set<String> WARM = ConcurrentHashMap.newKeySet();

  private Runs() {}

  /// Runs `main` once, with decisions of `chooser`.
  static <T extends @Nullable Object> SimulationResult<T> record(
      SimulationOptions options, Chooser chooser, Body<T> main) {
    return new SimulationResult<>(
        options.seed(),
        SimulatedLoop.run(options.loop(), options.seed(), chooser, limits(options), main),
        options.checksLeaks());
  }

  /// Runs a program once, and forgets it, if it is the first run of this program in the JVM and the
  /// agent is installed.
  ///
  /// Classes that a run initialises draw random numbers and hash codes, and keep what they have
  /// found. So the first run of a program takes another course than all later ones.
  ///
  /// @param program its class, a lambda's for example
  static <T extends @Nullable Object> void warmUp(
      SimulationOptions options, Class<?> program, Body<T> main) {
    if (WorldAgent.isInstalled() && WARM.add(program.getName())) {
      record(options, chooser(options), main);
    }
  }

  static Limits limits(SimulationOptions options) {
    return new Limits(options.stepLimit(), options.patience());
  }

  /// Attaches the agent, if the options want it; says what is not controlled without it.
  ///
  /// @throws IllegalStateException when this JVM does not allow it; the message says what to do
  static void prepareAgent(SimulationOptions options) {
    if (WorldAgent.isInstalled()) {
      return;
    }
    if (options.attachesAgent()) {
      WorldAgent.install("");
    } else {
      AgentNotice.give();
    }
  }

  /// The chooser of the run that the options describe; of an exhaustive strategy that of the first.
  static Chooser chooser(SimulationOptions options) {
    String schedule = options.schedule();
    return schedule == null
        ? chooser(options.strategy(), options.seed())
        : Schedule.parse(schedule);
  }

  private static Chooser chooser(Strategy strategy, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch (strategy) {
      case Strategy.RandomWalk _ -> (_, ready) -> random.nextInt(ready.size());
      case Strategy.Pct pct -> new PctChooser(random, pct.depth());
      case Strategy.Exhaustive _, Strategy.Fifo _ -> Chooser.FIFO;
    };
  }
}
