// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Memory that ends, at each allocation of workers and of the monitor.
@Timeout(300)
class OutOfMemoryTest {
  private static final int MANY = 30; // that fail in a row: what would be done instead fails too
  private static final int ENOUGH = 60; // of what has no last one
  private static final int AGAIN = 4; // what one failure leaves behind shows at the next

  @Test
  @Tag("proc-297")
  void allocationThatFails_whicheverItIs_harmsOneProcess() throws Exception {
    everyAllocation(1);
  }

  @Test
  @Tag("proc-297")
  @Tag("proc-291")
  void allocationsThatFailInARow_whicheverIsFirst_harmOnlyTheirProcesses() throws Exception {
    everyAllocation(MANY);
  }

  @Test
  @Tag("proc-290")
  void allocationThatFails_whereNoCatchBlockSeesIt_harmsOneProcess() throws Exception {
    IntBinaryOperator scenario = scenario(ShortageLoader.Mode.UNCAUGHT);
    for (int first = 1; first <= ENOUGH; first++) {
      var _ = scenario.applyAsInt(first, 1);
    }
    end(scenario);
  }

  private static void everyAllocation(int many) throws Exception {
    IntBinaryOperator scenario = scenario(ShortageLoader.Mode.ALLOCATIONS);
    int first = 0;
    while (scenario.applyAsInt(++first, many) >= 0) {
      assertThat(first).isLessThan(10_000);
    }
    assertThat(first).isGreaterThan(100);
    end(scenario);
  }

  @Test
  @Tag("proc-297")
  void dequeThatCannotGrow_losesNoTask() throws Exception {
    IntBinaryOperator scenario =
        scenario(
            new ShortageLoader(ShortageLoader.Mode.DEQUES), ShortageScenario.OfOneWorker.class);
    assertThat(scenario.applyAsInt(1, 1)).as("it had to grow").isNotNegative();
    end(scenario);
  }

  @Test
  @Tag("proc-297")
  void failureOfALoop_whereverItIs_costsNoThread() throws Exception {
    everyCall(1);
  }

  @Test
  @Tag("proc-297")
  void failuresOfALoopInARow_costNoThread() throws Exception {
    everyCall(MANY);
  }

  private static void everyCall(int many) throws Exception {
    for (String name : ShortageLoader.CALLS) {
      IntBinaryOperator scenario =
          warm(scenario(ShortageLoader.ofCalls(name), ShortageScenario.OfLoops.class));
      for (int i = 0; i < AGAIN; i++) {
        var _ = scenario.applyAsInt(1, many);
      }
      end(scenario);
    }
  }

  @Test
  @Tag("proc-297")
  void runtimeWhoseWorkersAllFailForGood_refuses_andTellsOfAllEnds() throws Exception {
    IntBinaryOperator scenario = scenario(ShortageLoader.Mode.LOOPS);
    assertThat(scenario.applyAsInt(ShortageScenario.FOR_GOOD, 0)).isEqualTo(0);
  }

  private static IntBinaryOperator scenario(ShortageLoader.Mode mode) throws Exception {
    return warm(scenario(new ShortageLoader(mode), ShortageScenario.class));
  }

  private static IntBinaryOperator warm(IntBinaryOperator scenario) {
    var _ = scenario.applyAsInt(ShortageScenario.WARM_UP, 0);
    return scenario;
  }

  private static IntBinaryOperator scenario(ShortageLoader loader, Class<?> original)
      throws Exception {
    Class<?> type = loader.loadClass(original.getName());
    assertThat(type).isNotSameAs(original);
    return (IntBinaryOperator) type.getDeclaredConstructor().newInstance();
  }

  private static void end(Object scenario) throws Exception {
    try {
      assertThat(scenario.getClass().getMethod("end").invoke(scenario)).isEqualTo(0);
    } catch (InvocationTargetException e) {
      throw new AssertionError(e.getCause());
    }
  }
}
