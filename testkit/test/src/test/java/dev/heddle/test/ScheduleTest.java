// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Schedules as text, and the strategies that refuse what they cannot do.
class ScheduleTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "0:1", "4:1,p17,s20:1500000,w9:2", "p0:3,w1"})
  @Tag("sim-4")
  void text_isRead_andWrittenAgain(String text) {
    assertThat(Schedule.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {",", "4", "4:1,", "s20", "s20:0", "x1:1", "p", "4:-1"})
  @Tag("sim-4")
  void otherText_isRefused(String text) {
    assertThatThrownBy(() -> Schedule.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @Test
  void exhaustive_enumeratesNeitherStallsNorWakeUps() {
    Strategy all = Strategy.exhaustive(10);
    assertThatThrownBy(() -> all.withStalls(100)).hasMessageContaining("stalls");
    assertThatThrownBy(() -> all.withSpuriousWakeUps(100)).hasMessageContaining("wake-ups");
  }

  @Test
  void stallsAndWakeUps_areJoined() {
    assertThat(Strategy.pct(3).withStalls(50).withSpuriousWakeUps(70))
        .isEqualTo(new Strategies.Disturbed(Strategy.pct(3), 50, 70));
    assertThatThrownBy(() -> Strategy.fifo().withStalls(0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
