// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

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
/// nothing else sets up its instances.
///
/// @see Simulation
/// @since 0.1
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(HeddleTestExtension.class)
public @interface HeddleTest {
  /// The first seed.
  long seed() default 0;

  /// The number of seeds, at least 1; of an exhaustive test the bound of runs.
  int seeds() default 20;

  /// The decisions of a recorded run, as a failure has printed them; empty: those of the strategy.
  /// Together with the seed it replays a run.
  String schedule() default "";

  /// How the next coroutine is chosen.
  Order strategy() default Order.RANDOM_WALK;

  /// The depth of [Order#PCT], at least 1.
  int depth() default 3;

  /// Whether the agent heddle-world is attached to the JVM, unless it is there: then what the test
  /// waits for in the JDK takes virtual time, too.
  boolean agent() default false;

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
