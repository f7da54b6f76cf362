// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Coroutines that wait beside those that measure.
class KotlinIdleTest {
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void coroutines_waitAsLongAsTheyAreWatched_andEndWithTheProgram() throws Exception {
    var idle = new KotlinIdle(100);

    assertThat(idle.isWaiting()).isTrue();
    assertThat(idle.round(1).counts()).containsKeys("cpu-percent", "switches-per-second");
    assertThat(idle.isWaiting()).isTrue();
    idle.close();
    assertThat(idle.isWaiting()).isFalse();
  }
}
