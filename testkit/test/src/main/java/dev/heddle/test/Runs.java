// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Limits;
import dev.heddle.test.run.RunRecord;
import dev.heddle.test.run.SimulatedLoop;
import dev.heddle.world.OpenWorld;
import dev.heddle.world.WorldAgent;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes single runs.
final class Runs {
  /*
   * The first run, with the agent. Classes that a run initialises draw random numbers and hash
   * codes, and keep what they have found. So a run that initialises classes takes another course
   * than the next one with the same seed: its outcome is dropped, and it is repeated until no class
   * was initialised meanwhile. A failure of it that the repetition does not show is logged. A run
   * that does not end is not repeated. It need not be the first run of the JVM: another program, or
   * a seed that is the first to reach some branch, initialises others.
   *
   * The JVM counts initialisations of all threads. One that another thread makes costs a repetition
   * that was not needed.
   *
   * A run with fresh classes always initialises some, as all runs of it do. It is repeated when
   * classes were loaded under new names: what is not fresh was loaded then.
   *
   * Rejected. To fail then: the first use of a library starts threads that stay, and draws what no
   * replay can give. A warm-up for each program, known by the class of its lambda: several programs
   * share that of a helper. Classes that are loaded: JUnit loads what is nested in a test before
   * any run, and a run initialises it.
   *
   * One at a time, with the agent. Two runs share the monitors of the JDK and of static state. One
   * that waits for the other's monitor would take real time, and be reported as deadlocked. So the
   * runs of a JVM take turns. Without the agent a run waits for other threads.
   */
  private static final String NO_POINTS = "points=none"; // of the agent

  static final int MOST_REPEATS = 3; // then something initialises classes in every run

  private static final ReentrantLock TURN = new ReentrantLock();

  private Runs() {}

  /// Runs `main` once, with decisions of a chooser, and again while that has initialised classes.
  ///
  /// @param chooser makes one for each run
  /// @throws IllegalStateException in a coroutine, or on another thread of a simulation
  static <T extends @Nullable Object> SimulationResult<T> record(
      SimulationOptions options, Supplier<Chooser> chooser, Body<T> main) {
    SimulationResult<T> result;
    int repeats = 0;
    long before;
    Throwable dropped = null;
    while (true) {
      before = classes(options);
      result = recordOnce(options, chooser.get(), main);
      if (classes(options) == before || result.isAbandoned() || repeats++ == MOST_REPEATS) {
        reportDropped(dropped, result);
        return result;
      }
      dropped = dropped == null ? result.failure() : dropped;
    }
  }

  /// Tells of the failure of a run that was dropped, if the one that counts has not failed.
  static void reportDropped(@Nullable Throwable dropped, SimulationResult<?> counts) {
    if (dropped != null && counts.failure() == null) {
      AsyncLog.shared()
          .warning(
              "seed %d failed in a run that initialised classes, which does not count; it did not"
                      .formatted(counts.seed())
                  + " fail when it was repeated. If the failure is not of the first use of a"
                  + " library, it is one of the program",
              dropped);
    }
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
            () ->
                SimulatedLoop.run(options.loop(), options.seed(), chooser, limits(options), main));
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
      RunRecord<T> record = run.get();
      PointsNotice.check();
      return record;
    } finally {
      TURN.unlock();
    }
  }

  /// A number that grows while classes are initialised that are not initialised by every run; 0
  /// without the agent.
  static long classes(SimulationOptions options) {
    if (!WorldAgent.isInstalled()) {
      return 0;
    }
    return options.freshClasses().isEmpty()
        ? WorldAgent.initialisedClasses()
        : WorldAgent.loadedClasses();
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
    String schedule = options.schedule();
    if (schedule != null) {
      requireAgentFor(Schedule.parse(schedule));
    } else if (options.strategy() instanceof Strategies.Disturbed disturbed) {
      requireAgentFor(disturbed);
    }
  }

  private static void requireAgentFor(Schedule schedule) {
    if (schedule.hasPoints() && !hasPoints()) {
      throw new IllegalStateException(
          "the schedule "
              + schedule
              + " has preemptions or stalls, which need preemption points; start Java with"
              + " -javaagent:heddle-world.jar=points=sync, or with the options of the run that"
              + " failed");
    }
    if (schedule.hasInterruptions() && !WorldAgent.isInstalled()) {
      throw new IllegalStateException(
          "the schedule "
              + schedule
              + " has wake-ups, which need the agent heddle-world; start Java with"
              + " -javaagent:heddle-world.jar");
    }
  }

  private static boolean hasPoints() {
    return WorldAgent.isInstalled() && !WorldAgent.options().equals(NO_POINTS);
  }

  private static void requireAgentFor(Strategies.Disturbed disturbed) {
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
      case Strategies.RandomWalk _ -> new WalkChooser(random);
      case Strategies.Pct pct -> new PctChooser(random, pct.depth());
      case Strategies.Exhaustive _, Strategies.Fifo _ -> Chooser.FIFO;
      case Strategies.Disturbed disturbed ->
          new DisturbingChooser(
              chooser(disturbed.order(), random.split()),
              random,
              disturbed.stalls(),
              disturbed.wakeUps());
    };
  }
}
