// SPDX-License-Identifier: Apache-2.0
package fresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.test.HeddleTest;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationError;
import dev.heddle.test.SimulationOptions;
import fresh.library.OneForTheJvm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Runs with classes of their own. Not in Heddle's packages, since those are never loaded anew.
@Timeout(300)
class FreshClassesTest {
  private static final SimulationOptions FRESH =
      SimulationOptions.defaults().withFreshClasses("fresh.library");

  static final class CallsOnce implements Body<Integer> {
    @Override
    public Integer run() {
      return OneForTheJvm.call();
    }
  }

  static final class MustBeFirst implements Action {
    private static int runs;

    @Override
    public void run() {
      runs++;
      assertThat(runs).isEqualTo(1);
      assertThat(OneForTheJvm.call()).isEqualTo(1);
    }
  }

  static final class Fails implements Action {
    @Override
    public void run() {
      throw new IllegalStateException("call " + OneForTheJvm.call());
    }
  }

  static final class LoadersOfThreads implements Body<Boolean> {
    @Override
    public Boolean run() {
      ClassLoader own = getClass().getClassLoader();
      return own == Thread.currentThread().getContextClassLoader()
          && own == OneForTheJvm.class.getClassLoader();
    }
  }

  @Test
  void staticState_ofALibrary_isThatOfOneRun() {
    for (int i = 0; i < 3; i++) {
      assertThat(Simulation.run(FRESH, new CallsOnce()).value()).isEqualTo(1);
    }
    int before = OneForTheJvm.call();
    assertThat(Simulation.run(new CallsOnce()).value()).isGreaterThan(before);
  }

  @Test
  void staticState_ofTheProgram_isThatOfOneRun() {
    assertThat(Simulation.explore(FRESH.withSeeds(5), new MustBeFirst()).runs()).isEqualTo(5);
  }

  @Test
  void contextClassLoader_isThatOfTheRun() {
    assertThat(Simulation.run(FRESH, new LoadersOfThreads()).value()).isTrue();
  }

  @Test
  void failure_isReplayedWithFreshClasses() {
    assertThatThrownBy(() -> Simulation.explore(FRESH, new Fails()))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("call 1")
        .hasMessageNotContaining("it did not repeat");
  }

  @Test
  void lambda_isRefused_sinceItsClassCannotBeLoadedAnew() {
    assertThatThrownBy(() -> Simulation.run(FRESH, () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("with fresh classes the body must be")
        .hasMessageContaining("is of a lambda");
  }

  @Test
  void packagesOfTheJdkAndOfHeddle_areRefused() {
    for (String name : new String[] {"java.util", "dev.heddle", "org.junit.jupiter.api", "a..b"}) {
      assertThatThrownBy(() -> SimulationOptions.defaults().withFreshClasses(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + name + "'");
    }
  }

  @Test
  void noPackage_isRefused() {
    assertThatThrownBy(() -> SimulationOptions.defaults().withFreshClasses())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("withFreshClasses needs the packages");
  }

  private static int tests;
  private int before;

  @BeforeEach
  void isOnTheSameObject() {
    before++;
  }

  @HeddleTest(seeds = 3, freshClasses = "fresh.library")
  void test_hasClassesOfItsOwn() {
    tests++;
    assertThat(tests).isEqualTo(1);
    assertThat(before).isEqualTo(1);
    assertThat(OneForTheJvm.call()).isEqualTo(1);
  }
}
