// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.HeddleOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Options of a [Simulation]. An immutable value; start from [#defaults()] and change what matters.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=options}
///
/// The system properties `heddle.test.seed` and `heddle.test.schedule` replay a failing run: where
/// they are set, they replace seed, number of seeds and schedule of every simulation of the JVM.
///
/// @since 0.1
public final class SimulationOptions {
  private static final int SEEDS = 100;
  private static final long STEPS = 1_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  // effectively final: written only before the object leaves this class
  private long seed;
  private int seeds;
  private Strategy strategy;
  private @Nullable String schedule;
  private long stepLimit;
  private Duration patience;
  private boolean shrinks;
  private boolean checksLeaks;
  private boolean checksMessages;
  private boolean attachesAgent;
  private List<String> freshClasses;
  private HeddleOptions loop;

  private SimulationOptions() {
    seeds = SEEDS;
    strategy = Strategy.randomWalk();
    stepLimit = STEPS;
    patience = PATIENCE;
    shrinks = true;
    checksLeaks = true;
    checksMessages = true;
    freshClasses = List.of();
    loop = HeddleOptions.defaults().withName("simulation");
  }

  private SimulationOptions(SimulationOptions from) {
    seed = from.seed;
    seeds = from.seeds;
    strategy = from.strategy;
    schedule = from.schedule;
    stepLimit = from.stepLimit;
    patience = from.patience;
    shrinks = from.shrinks;
    checksLeaks = from.checksLeaks;
    checksMessages = from.checksMessages;
    attachesAgent = from.attachesAgent;
    freshClasses = from.freshClasses;
    loop = from.loop;
  }

  /// The defaults.
  public static SimulationOptions defaults() {
    return new SimulationOptions();
  }

  // ---- values ----

  /// The seed of a run, and the first one of an exploration; default 0.
  public long seed() {
    return seed;
  }

  /// The number of seeds of an exploration, each one more than the one before; default 100.
  public int seeds() {
    return seeds;
  }

  /// How the next coroutine is chosen; default [Strategy#randomWalk()].
  public Strategy strategy() {
    return strategy;
  }

  /// The decisions of a recorded run, which are made instead of the strategy's; null: none, the
  /// default.
  public @Nullable String schedule() {
    return schedule;
  }

  /// The number of scheduling steps after which a run fails as one that does not end; default
  /// 1,000,000.
  public long stepLimit() {
    return stepLimit;
  }

  /// The processor time of one step after which a run fails as one that does not end, and the real
  /// time for which it waits for threads outside of the simulation; default 10 s.
  public Duration patience() {
    return patience;
  }

  /// Whether an exploration looks for a shorter schedule that fails in the same way; default true.
  public boolean shrinks() {
    return shrinks;
  }

  /// Whether a run fails that leaves something behind: coroutines, timers; default true.
  public boolean checksLeaks() {
    return checksLeaks;
  }

  /// Whether a run fails in which a message between processes is changed after it was sent; default
  /// true.
  public boolean checksMessages() {
    return checksMessages;
  }

  /// Whether the agent heddle-world is attached to the JVM, unless it is there; default false: it
  /// is used where Java was started with it.
  public boolean attachesAgent() {
    return attachesAgent;
  }

  /// The packages whose classes are loaded anew for each run; default none.
  public List<String> freshClasses() {
    return freshClasses;
  }

  /// The options of its loop; default [HeddleOptions#defaults()], with the name `simulation`.
  public HeddleOptions loop() {
    return loop;
  }

  // ---- copies with another value ----

  /// The same with another seed.
  public SimulationOptions withSeed(long changed) {
    return with(copy -> copy.seed = changed);
  }

  /// The same with another number of seeds.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public SimulationOptions withSeeds(int changed) {
    requirePositive(changed, "seeds");
    return with(copy -> copy.seeds = changed);
  }

  /// The same with another strategy.
  public SimulationOptions withStrategy(Strategy changed) {
    Objects.requireNonNull(changed, "strategy");
    return with(copy -> copy.strategy = changed);
  }

  /// The same, making the decisions of a recorded run.
  ///
  /// @param changed of the form `4:1,9:2`: at decision 4 the second oldest of the ready ones runs,
  ///   at decision 9 the third oldest, otherwise the oldest
  /// @throws IllegalArgumentException when it has another form
  public SimulationOptions withSchedule(String changed) {
    Schedule.parse(changed);
    return with(copy -> copy.schedule = changed);
  }

  /// The same with another limit of steps.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public SimulationOptions withStepLimit(long changed) {
    requirePositive(changed, "stepLimit");
    return with(copy -> copy.stepLimit = changed);
  }

  /// The same with another patience.
  ///
  /// @throws IllegalArgumentException when it is zero or negative
  public SimulationOptions withPatience(Duration changed) {
    if (!changed.isPositive()) {
      throw new IllegalArgumentException("patience must be positive: " + changed);
    }
    return with(copy -> copy.patience = changed);
  }

  /// The same; a failing schedule is reported as it was found.
  public SimulationOptions withoutShrinking() {
    return with(copy -> copy.shrinks = false);
  }

  /// The same; a run may leave something behind.
  public SimulationOptions withoutLeakChecks() {
    return with(copy -> copy.checksLeaks = false);
  }

  /// The same; messages between processes are not compared with what they were when they were sent.
  public SimulationOptions withoutMessageChecks() {
    return with(copy -> copy.checksMessages = false);
  }

  /// The same, with the agent heddle-world: attached to the JVM, unless it is there, which takes
  /// about a second. A run throws [IllegalStateException] if the JVM does not allow that.
  public SimulationOptions withAgent() {
    return with(copy -> copy.attachesAgent = true);
  }

  /// The same, where each run has classes of its own: those of the packages and their subpackages,
  /// and the class of the body with what is nested in it. So the static state of a library, as its
  /// one scheduler, does not pass from run to run.
  ///
  /// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=fresh}
  ///
  /// The body must be an object of a class with a name, not a lambda, with a constructor without
  /// parameters and without fields: each run makes one of its own. Name all packages that share
  /// classes with those; what they get from other packages is as ever.
  ///
  /// @param packages as `io.github.resilience4j`; one or more
  /// @throws IllegalArgumentException when there is none, or one is of the JDK, of Heddle or of
  ///   JUnit
  public SimulationOptions withFreshClasses(String... packages) {
    if (packages.length == 0) {
      throw new IllegalArgumentException(
          "withFreshClasses needs the packages whose classes are loaded anew; leave it out where"
              + " there are none");
    }
    for (String name : packages) {
      if ((name + ".").matches("(java|javax|jdk|sun|dev[.]heddle|org[.]junit)[.].*")
          || !name.matches("[\\w$]+([.][\\w$]+)*")) {
        throw new IllegalArgumentException(
            "'" + name + "' is no package that can be loaded anew for each run");
      }
    }
    return with(copy -> copy.freshClasses = List.of(packages));
  }

  /// The same with other options of its loop. A simulation has a driver of its own, no signals, and
  /// no watchdog, which goes by real time.
  ///
  /// @throws IllegalArgumentException when they have another driver than
  ///   [HeddleOptions#defaults()], handle signals, or have another limit for coroutines that hold
  ///   the loop or for stalls
  public SimulationOptions withLoop(HeddleOptions changed) {
    LoopOptionsCheck.check(changed);
    return with(copy -> copy.loop = changed);
  }

  private SimulationOptions with(Consumer<SimulationOptions> change) {
    SimulationOptions copy = new SimulationOptions(this);
    change.accept(copy);
    return copy;
  }

  private static void requirePositive(long value, String what) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be at least 1: " + value);
    }
  }
}
