// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("watch-4")
class LookerOpenerTest {
  /// What goes wrong is shown by the second look after it at the latest (`ConsoleFaultsIT`): so
  /// within two seconds.
  @Test
  void programs_areLookedAtOnceASecond() {
    assertThat(LookerOpener.INTERVAL).isEqualTo(Duration.ofSeconds(1));
  }
}
