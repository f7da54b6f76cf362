// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.loop.diagnostics.EndedLoops.Deadlock;
import dev.heddle.loop.diagnostics.EndedLoops.Known;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How long the deadlock of a loop that has ended keeps the watchdog.
@Tag("watch-4")
class EndedLoopsTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final Deadlock DEADLOCK =
      new Deadlock("dock", new LoopReporter.Recent(0, "deadlock", "Deadlock: left and right"));

  /// The watchdog stayed for ever, and with it the class loader of its class.
  @Test
  void deadlock_keepsTheWatchdogForAnHour_andTheNextOneForAnother() {
    long now = Long.MAX_VALUE - 5; // the clock of a JVM may overflow
    assertThat(Known.NONE.areServedAt(now)).isFalse();
    Known one = Known.NONE.with(DEADLOCK, now);
    assertThat(one.areServedAt(now)).isTrue();
    assertThat(one.areServedAt(now + HOUR - 1)).isTrue();
    assertThat(one.areServedAt(now + HOUR)).isFalse();
    Known two = one.with(DEADLOCK, now + HOUR);
    assertThat(two.areServedAt(now + HOUR)).isTrue();
    assertThat(two.areServedAt(now + 2 * HOUR)).isFalse();
  }
}
