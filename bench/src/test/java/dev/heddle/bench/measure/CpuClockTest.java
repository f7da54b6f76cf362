// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// The clock's arithmetic.
class CpuClockTest {
  @Test
  void added_threadMissingInOneListing_saysNothing() {
    long added =
        CpuClock.added(
            Map.of("stays", 10L, "missed later", 1_000L),
            Map.of("stays", 15L, "missed before", 2_000L));

    assertThat(added).isEqualTo(5);
  }

  @Test
  void nanos_workDoneInBetween_isCounted() {
    long before = CpuClock.nanos();
    long now = before;
    while (now == before) {
      now = CpuClock.nanos(); // the work; a clock that stands still would hang here
    }

    assertThat(now).isGreaterThan(before);
  }

  @Test
  void nanos_ofThisProcessFromOutside_areTheSameClock() {
    long before = CpuClock.nanos();
    long outside = CpuClock.nanos(ProcessHandle.current().pid());
    long after = CpuClock.nanos();

    assertThat(outside).isBetween(before, after);
  }
}
