// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.FifoWorld.Outcome;
import dev.heddle.world.programs.TimedWaits;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// The timed waits of the JDK, unmodified, by the clock of a world.
@Tag("sim-8")
class JdkTimedWaitsTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  @TestFactory
  Stream<DynamicTest> everyTimedWait_takesAnHourOfTheWorld() {
    return TimedWaits.all().entrySet().stream()
        .map(entry ->
            DynamicTest.dynamicTest(
                entry.getKey(),
                () -> {
                  Outcome outcome = FifoWorld.run(entry.getValue());
                  assertThat(outcome.orThrow()).isEqualTo("done");
                  assertThat(outcome.elapsedNanos()).isBetween(HOUR, HOUR + HOUR / 1_000);
                }));
  }

  @Test
  void theList_hasThemAll() {
    assertThat(TimedWaits.all()).hasSize(42);
  }
}
