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
  void nanos_grows_withWork() {
    long before = CpuClock.nanos();
    long sink = 0;
    while (CpuClock.nanos() - before < 1_000_000) {
      sink += System.nanoTime();
    }

    assertThat(CpuClock.nanos() - before).isGreaterThanOrEqualTo(1_000_000);
    assertThat(sink).isNotZero();
  }
}
