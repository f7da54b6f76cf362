// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.test.run.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// Numbers and times in what the test kit says.
class MessageTextTest {
  @Test
  void times_areInTheUnitsOfAReader() {
    assertThat(VirtualTime.inWords(Duration.ZERO)).isEqualTo("0 ms");
    assertThat(VirtualTime.inWords(Duration.ofNanos(10))).isEqualTo("10 ns");
    assertThat(VirtualTime.inWords(Duration.ofNanos(128_000))).isEqualTo("128 us");
    assertThat(VirtualTime.inWords(Duration.ofNanos(1_500_000))).isEqualTo("1.5 ms");
    assertThat(VirtualTime.inWords(Duration.ofMillis(184))).isEqualTo("184 ms");
    assertThat(VirtualTime.inWords(Duration.ofMillis(1_008))).isEqualTo("1.0 s");
    assertThat(VirtualTime.inWords(Duration.ofSeconds(999_998))).isEqualTo("277 h 46 min");
  }

  @Test
  void failureAfterAnHour_saysSo() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              Heddle.delay(Duration.ofHours(1));
              throw new AssertionError("late");
            }))
        .hasMessageContaining("failed after 1 h 0 min of virtual time")
        .hasMessageContaining("of 0 decisions 0 differ");
  }

  @Test
  void oneRun_isSingular() {
    assertThat(new Exploration(1, 1, false, Duration.ofHours(1)))
        .hasToString("1 run, 1 course, 1 h 0 min of virtual time");
    assertThat(new Exploration(2_000, 24, true, Duration.ZERO))
        .hasToString("2,000 runs, 24 courses, which are all, 0 ms of virtual time");
  }
}
