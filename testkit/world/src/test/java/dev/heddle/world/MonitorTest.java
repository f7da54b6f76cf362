// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.FifoWorld.Outcome;
import dev.heddle.world.programs.Monitors;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Monitors, which the JVM hands over on a thread of its own.
@Tag("sim-16")
class MonitorTest {
  private static final int RUNS = 50;

  @Test
  void contendedMonitors_sameCourseInEveryRun() throws Exception {
    FifoWorld.run(() -> Monitors.contend(20, 8)); // the first run in a JVM initialises classes
    Outcome first = FifoWorld.run(() -> Monitors.contend(20, 8));
    assertThat(first.orThrow()).isNotNull();
    for (int run = 0; run < RUNS; run++) {
      Outcome next = FifoWorld.run(() -> Monitors.contend(20, 8));
      assertThat(next.result()).isEqualTo(first.result());
      assertThat(next.trace()).isEqualTo(first.trace());
    }
  }

  @Test
  void deadlock_ofMonitorsIsSeenAsOne() throws Exception {
    Outcome outcome = FifoWorld.run(Monitors::waitUntimed);
    assertThat(outcome.deadlocked()).isTrue();
  }

  @Test
  void wakeForNoReason_endsObjectWaitAndPark() throws Exception {
    assertThat(wokenForNoReason(Monitors::waitUntimed)).isEqualTo("woken");
    assertThat(
            wokenForNoReason(() -> {
              LockSupport.park();
              return "unparked";
            }))
        .isEqualTo("unparked");
  }

  private static Object wokenForNoReason(Callable<?> waits) throws Exception {
    FifoWorld world = new FifoWorld(1);
    AtomicReference<Object> result = new AtomicReference<>();
    world.runMain(() -> {
      Thread waiter =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  result.set(waits.call());
                } catch (Exception e) {
                  result.set(e);
                }
              });
      Thread.sleep(1);
      assertThat(world.open().wakeForNoReason(waiter)).isTrue();
      waiter.join();
      assertThat(world.open().wakeForNoReason(waiter)).isFalse();
      return null;
    });
    return result.get();
  }
}
