// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InWordsTest {
  @Test
  void count_ofOne_isSingular() {
    assertThat(InWords.count(1, "item")).isEqualTo("1 item");
    assertThat(InWords.count(0, "item")).isEqualTo("0 items");
    assertThat(InWords.count(12_345, "item")).isEqualTo("12,345 items");
  }

  @Test
  void duration_hasTwoUnits_orATenthOfASecond() {
    assertThat(InWords.duration(Duration.ofMillis(100))).isEqualTo("100 ms");
    assertThat(InWords.duration(Duration.ofMillis(5_870))).isEqualTo("5.8 s");
    assertThat(InWords.duration(Duration.ofSeconds(62))).isEqualTo("1 min 2 s");
    assertThat(InWords.duration(Duration.ofMinutes(125))).isEqualTo("2 h 5 min");
  }
}
