// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// A JUnit test whose body is the main coroutine of a loop, in a simulation: once for each seed.
///
/// {@snippet class=dev.heddle.test.HeddleTestSnippetsTest region=test}
///
/// The methods with `@BeforeEach` and `@AfterEach` run in the same simulation, as parts of the main
/// coroutine. The constructor of the test class, and the resolution of parameters, do not. Between
/// those methods other coroutines run as far as they can, while the clock stands still.
///
/// Each seed is an invocation of its own. A seed that fails is reported with how to replay it; the
/// schedule of the first one is shrunk, if the class has a constructor without parameters, and
/// nothing else sets up its instances. An exhaustive test publishes as report entry `schedules`
/// whether it has run all schedules, and logs a warning when it has not.
///
/// In JUnit's concurrent mode these tests run one at a time, whatever mode their class has.
///
/// An option without effect is refused, before the first invocation: `depth` without [Order#PCT],
/// `seeds` with [Order#FIFO], and all of them but `time` with [Time#REAL].
///
/// @see Simulation
/// @since 0.1
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock("dev.heddle.test.simulations")
@ExtendWith(HeddleTestExtension.class)
public @interface HeddleTest {
  /// The [#schedule()] that is none: the strategy decides.
  String BY_STRATEGY = "by strategy";

  /// The first seed.
  long seed() default 0;

  /// The number of seeds, at least 1; of an exhaustive test the bound of runs.
  int seeds() default 20;

  /// The decisions of a recorded run, as a failure has printed them; default [#BY_STRATEGY].
  /// Together with the seed it replays that run: once, and the strategy decides nothing. The empty
  /// schedule, which a failure may print, too, lets the oldest run first, always.
  String schedule() default BY_STRATEGY;

  /// How the next coroutine is chosen.
  Order strategy() default Order.RANDOM_WALK;

  /// The depth of [Order#PCT], at least 1.
  int depth() default 3;

  /// The bound of preemptions in one run of [Order#EXHAUSTIVE]; 0 or more.
  int preemptions() default 2;

  /// Stalls at one preemption point in so many, see [Strategy#withStalls]; 0: none.
  int stalls() default 0;

  /// Spurious wake-ups before one step in so many, see [Strategy#withSpuriousWakeUps]; 0: none.
  int spuriousWakeUps() default 0;

  /// Whether the agent heddle-world is attached to the JVM, unless it is there: then what the test
  /// waits for in the JDK takes virtual time, too.
  boolean agent() default false;

  /// The packages whose classes are loaded anew for each run, with the test class: see
  /// [SimulationOptions#withFreshClasses]. The test class then needs a constructor without
  /// parameters, and nothing else may set up its instances.
  String[] freshClasses() default {};

  /// The clock of the test.
  Time time() default Time.VIRTUAL;

  /// The strategies, see [Strategy].
  enum Order {
    /// [Strategy#randomWalk()].
    RANDOM_WALK,
    /// [Strategy#pct(int)].
    PCT,
    /// [Strategy#exhaustive(int)].
    EXHAUSTIVE,
    /// [Strategy#fifo()], with one seed.
    FIFO
  }

  /// The clocks.
  enum Time {
    /// Virtual time, in a simulation.
    VIRTUAL,
    /// Real time, on an ordinary loop: once, without a seed.
    REAL
  }
}
