// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Limits;
import dev.heddle.test.run.RunRecord;
import dev.heddle.test.run.SimulatedLoop;
import dev.heddle.world.OpenWorld;
import dev.heddle.world.WorldAgent;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes single runs.
final class Runs {
  /*
   * The first run, with the agent. Classes that a run initialises draw random numbers and hash
   * codes, and keep what they have found. So a run that initialises classes takes another course
   * than the next one with the same seed, and its outcome is dropped:
   *
   *   - the first run of a program, known by the name of its class. It also finds the classes that
   *     were loaded before and not initialised, as nested classes of a test are;
   *   - each run during which classes were loaded. It is repeated until none is: so the second of
   *     two programs that share a class, as two calls of one helper's lambda do, and a seed that is
   *     the first to reach some branch, do not take a course that no replay takes.
   *
   * What stays is a class that was loaded before and that only a later seed initialises. The JVM
   * does not tell when it initialises a class.
   *
   * One at a time, with the agent. Two runs share the monitors of the JDK and of static state. One
   * that waits for the other's monitor would take real time, and be reported as deadlocked. So the
   * runs of a JVM take turns. Without the agent a run waits for other threads.
   */
  static final int MOST_REPEATS = 3; // then something loads classes under ever new names

  // programs that have run; by name, so that no class is kept
  private static final Set<String> WARM = ConcurrentHashMap.newKeySet();

  private static final ReentrantLock TURN = new ReentrantLock();

  private Runs() {}

  /// Runs `main` once, with decisions of a chooser, and again while that has loaded classes.
  ///
  /// @param chooser makes one for each run
  /// @throws IllegalStateException in a coroutine, or on another thread of a simulation
  static <T extends @Nullable Object> SimulationResult<T> record(
      SimulationOptions options, Supplier<Chooser> chooser, Body<T> main) {
    SimulationResult<T> result;
    int repeats = 0;
    int before;
    do {
      before = loadedClasses();
      result = recordOnce(options, chooser.get(), main);
    } while (loadedClasses() != before && repeats++ < MOST_REPEATS);
    return result;
  }

  private static <T extends @Nullable Object> SimulationResult<T> recordOnce(
      SimulationOptions options, Chooser chooser, Body<T> main) {
    ClassLoader loader =
        main instanceof FreshBody<T> fresh
            ? fresh.newLoader()
            : Thread.currentThread().getContextClassLoader();
    RunRecord<T> record =
        withLoader(
            loader,
            () -> SimulatedLoop.run(options.loop(), options.seed(), chooser, limits(options), main));
    return new SimulationResult<>(options.seed(), record, options.checksLeaks());
  }

  /// Makes a run, whose threads have a context class loader.
  ///
  /// @throws IllegalStateException in a coroutine, or on another thread of a simulation
  static <T extends @Nullable Object> RunRecord<T> withLoader(
      @Nullable ClassLoader loader, Supplier<RunRecord<T>> run) {
    Thread caller = Thread.currentThread();
    ClassLoader before = caller.getContextClassLoader();
    caller.setContextClassLoader(loader);
    try {
      return inTurn(run);
    } finally {
      caller.setContextClassLoader(before);
    }
  }

  /// Makes a run when no other one is made, where two would disturb each other.
  ///
  /// @throws IllegalStateException in a coroutine, or on another thread of a simulation
  private static <T extends @Nullable Object> RunRecord<T> inTurn(Supplier<RunRecord<T>> run) {
    boolean hasAgent = WorldAgent.isInstalled();
    // OpenWorld cannot be loaded without the agent
    if (ExecutionContext.current() != null || (hasAgent && OpenWorld.current() != null)) {
      throw new IllegalStateException(
          "a simulation was started inside of a coroutine or of another simulation; start it on a"
              + " thread of its own, or use Heddle.scope(...) for work that belongs together");
    }
    if (!hasAgent) {
      return run.get();
    }
    TURN.lock();
    try {
      return run.get();
    } finally {
      TURN.unlock();
    }
  }

  /// The number of classes that were loaded until now; 0 without the agent.
  static int loadedClasses() {
    return WorldAgent.isInstalled() ? WorldAgent.loadedClasses() : 0;
  }

  /// Runs a program once, and forgets it, if it is the first run of this program in the JVM and the
  /// agent is installed.
  ///
  /// @param program its class, a lambda's for example
  static <T extends @Nullable Object> void warmUp(
      SimulationOptions options, Class<?> program, Body<T> main) {
    if (WorldAgent.isInstalled() && WARM.add(program.getName())) {
      recordOnce(options, chooser(options), main);
    }
  }

  static Limits limits(SimulationOptions options) {
    return new Limits(options.stepLimit(), options.patience(), options.checksMessages());
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
