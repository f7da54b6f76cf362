// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.measure.HostClock.Ticks;
import org.junit.jupiter.api.Test;

/// What is ours and what is foreign, from what the kernel counts.
class HostClockTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void ticks_ofLinux_areUserNiceAndSystem_withoutInterrupts() {
    String stat =
        """
        cpu  100 20 30 4000 50 60 70 8 9 10
        cpu0 50 10 15 2000 25 30 35 4 4 5
        """;

    assertThat(Ticks.of(stat)).isEqualTo(new Ticks(150, 8));
  }

  @Test
  void load_allTimeIsOurs_isQuiet() {
    HostLoad load = HostClock.load(ticks(0, 0), ticks(150, 0), 3 * SECOND / 2, SECOND, 1.5);

    assertThat(load).isEqualTo(new HostLoad(0, 0, 1.5));
    assertThat(load.isQuiet()).isTrue();
  }

  @Test
  void load_anotherProgramRan_isForeign() {
    HostLoad load = HostClock.load(ticks(0, 0), ticks(172, 0), SECOND, SECOND, 3);

    assertThat(load.foreign()).isEqualTo(0.7);
    assertThat(load.isQuiet()).isFalse();
  }

  @Test
  void load_hypervisorTookTime_isNotQuiet() {
    HostLoad load = HostClock.load(ticks(0, 5), ticks(100, 17), SECOND, SECOND, 1);

    assertThat(load.steal()).isEqualTo(0.1);
    assertThat(load.foreign()).isZero();
    assertThat(load.isQuiet()).isFalse();
  }

  @Test
  void load_kernelRoundsAgainstUs_isNeverNegative() {
    assertThat(HostClock.load(ticks(0, 0), ticks(1, 0), SECOND, SECOND, 0).foreign()).isZero();
  }

  private static Ticks ticks(long busy, long steal) {
    return new Ticks(busy, steal);
  }
}
