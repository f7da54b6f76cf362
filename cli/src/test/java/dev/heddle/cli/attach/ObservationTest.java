// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How long a command waits for a program that it begins to observe.
class ObservationTest {
  @Test
  void timeToGreet_isThatOfTheEnvironment() throws AttachException {
    assertThat(Observation.greetingTime("100")).isEqualTo(Duration.ofSeconds(100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "10 s", "9999999999"})
  void timeToGreet_thatIsNoNumberOfSeconds_isRefusedWithItsName(String seconds) {
    assertThatThrownBy(() -> Observation.greetingTime(seconds))
        .isInstanceOf(AttachException.class)
        .hasMessageContaining("HEDDLE_ATTACH_SECONDS is '" + seconds + "'");
  }
}
