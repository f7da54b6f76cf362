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
  private static final String NO_POINTS = "points=none"; // of the agent

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
    return new Limits(options.stepLimit(), options.patience(), options.checksMessages());
  }

  /// Attaches the agent, if the options want it; says what is not controlled without it.
  ///
  /// @throws IllegalStateException when this JVM does not allow it; the message says what to do
  static void prepareAgent(SimulationOptions options) {
    if (!WorldAgent.isInstalled()) {
      if (options.attachesAgent()) {
        WorldAgent.install("");
      } else {
        AgentNotice.give();
      }
    }
    if (options.strategy() instanceof Strategy.Disturbed disturbed) {
      requireAgentFor(disturbed);
    }
  }

  private static void requireAgentFor(Strategy.Disturbed disturbed) {
    if (!WorldAgent.isInstalled()) {
      throw new IllegalStateException(
          "stalls and spurious wake-ups need the agent heddle-world; start Java with"
              + " -javaagent:heddle-world.jar=points=sync");
    }
    if (disturbed.stalls() > 0 && WorldAgent.options().equals(NO_POINTS)) {
      throw new IllegalStateException(
          "stalls happen at preemption points, and the agent heddle-world was started without;"
              + " start Java with -javaagent:heddle-world.jar=points=sync");
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
    return chooser(strategy, new SplittableRandom(seed));
  }

  private static Chooser chooser(Strategy strategy, SplittableRandom random) {
    return switch (strategy) {
      case Strategy.RandomWalk _ -> new WalkChooser(random);
      case Strategy.Pct pct -> new PctChooser(random, pct.depth());
      case Strategy.Exhaustive _, Strategy.Fifo _ -> Chooser.FIFO;
      case Strategy.Disturbed disturbed ->
          new DisturbingChooser(
              chooser(disturbed.order(), random.split()),
              random,
              disturbed.stalls(),
              disturbed.wakeUps());
    };
  }
}
