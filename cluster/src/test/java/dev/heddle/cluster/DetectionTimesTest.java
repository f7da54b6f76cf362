// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.DetectionTimes.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// [DetectionTimes] does what it says, with the shortest pauses and cuts. No bar is asserted: those
/// depend on the machine.
@Timeout(600) // each step of it has a guard
@EnabledOnOs(OS.LINUX) // for signals
class DetectionTimesTest {
  private static final int PART = 600;

  /// `./heddle soak cluster --detection` runs both by JUnit, which takes no class with another one.
  @ParameterizedTest
  @ValueSource(classes = {DetectionTimes.class, OwnerTimes.class})
  void classOfTheCommand_hasTheOneConstructorThatJUnitWants(Class<?> measured) {
    assertThat(measured.getDeclaredConstructors()).hasSize(1);
  }

  @Test
  @Tag("C4")
  void eachKindOfNoise_isMade_andLossesAreCounted() throws Exception {
    try (DetectionTimes times = DetectionTimes.withPart(PART)) {
      times.start(Kind.PAUSE);
      times.run(Kind.PAUSE);
      times.run(Kind.BUSY);
      int before = times.lost().size(); // none, but on a machine that is too slow
      assertThat(times.run(Kind.HEAL_LATER).up()).isNotNegative();
      times.run(Kind.KILL);
      // the end of the session and of the watch, at both nodes, and c itself was cut off, too
      assertThat(times.lost()).hasSizeGreaterThanOrEqualTo(before + 8);
      assertThat(times.lost()).anyMatch(it -> it.contains(" LOST c "));
      assertThat(times.lost()).anyMatch(it -> it.endsWith(" DOWN c NO_CONNECTION"));
    }
  }
}
