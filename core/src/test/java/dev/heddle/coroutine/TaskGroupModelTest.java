// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.coroutine.TaskGroupProgram.Met;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs ([TaskGroupProgram]) of task groups. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-3")
@Tag("trap-24")
@Timeout(300)
class TaskGroupModelTest {
  private static final int PROGRAMS = 10_000;

  @Test
  void randomPrograms_loseNothingAndDoubleNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    Map<Met, Integer> met = new EnumMap<>(Met.class);
    for (long seed = first; seed < last; seed++) {
      TaskGroupProgram.run(seed, false, met);
    }
    if (only == null) {
      verifyNotVacuous(met);
    }
  }

  private static void verifyNotVacuous(Map<Met, Integer> met) {
    for (Met what : Met.values()) {
      if (what != Met.SHUTDOWN) {
        assertThat(met.getOrDefault(what, 0))
            .as("%s of %s", what, met)
            .isGreaterThan(PROGRAMS / 100);
      }
    }
  }

  @Test
  void randomPrograms_withAShutdownAtAnyStep_end() {
    Map<Met, Integer> met = new EnumMap<>(Met.class);
    for (long seed = 0; seed < PROGRAMS / 5; seed++) {
      TaskGroupProgram.run(seed, true, met);
    }
    assertThat(met.getOrDefault(Met.SHUTDOWN, 0)).isGreaterThan(PROGRAMS / 20);
  }
}
