// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// When requests are due, whoever is late.
class ScheduleTest {
  @Test
  void requests_areDueAtTheirTimes() {
    var schedule = new Schedule(1_000, 100, 5);

    assertThat(schedule.due(999)).isZero();
    assertThat(schedule.due(1_000)).isEqualTo(1);
    assertThat(schedule.due(1_099)).isZero();
    assertThat(schedule.due(1_100)).isEqualTo(1);
    assertThat(schedule.time(1)).isEqualTo(1_100);
  }

  @Test
  void clientThatWasLate_givesAllThatWereDue_withTheirOwnTimes() {
    var schedule = new Schedule(0, 100, 5);

    assertThat(schedule.due(250)).isEqualTo(3);
    assertThat(schedule.time(2)).isEqualTo(200);
    assertThat(schedule.isOver()).isFalse();
    assertThat(schedule.due(10_000)).isEqualTo(2);
    assertThat(schedule.isOver()).isTrue();
    assertThat(schedule.due(20_000)).isZero();
  }

  @Test
  void ratesThatAreNoWholeNanoseconds_doNotDrift() {
    var schedule = new Schedule(0, 1e9 / 3, 3_000_001);

    assertThat(schedule.due(1_000_000L * 1_000_000_000)).isEqualTo(3_000_001);
    assertThat(schedule.time(3_000_000)).isEqualTo(1_000_000L * 1_000_000_000);
  }
}
