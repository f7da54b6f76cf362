// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.simulation.ProcessWorld.MessageCheck;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RandomProcessesTest {
  private static final int SCHEDULES = 10_000;

  private static ProcessSimulation run(long program, long schedule) {
    return ProcessSimulation.run(
        schedule, MessageCheck.NONE, false, simulation -> RandomProcesses.run(simulation, program));
  }

  @Test
  @Tag("sim-10")
  void randomPrograms_inTenThousandSchedules_doAsTheModel() {
    Set<Long> courses = new HashSet<>();
    for (long i = 0; i < SCHEDULES; i++) {
      long seed = i;
      ProcessSimulation simulation = run(i / 10, i); // ten schedules of each program
      assertThat(simulation.thrown()).as(() -> "seed " + seed).isNull();
      assertThat(simulation.failures()).as(() -> "seed " + seed).isEmpty();
      assertThat(simulation.outsiders()).as(() -> "seed " + seed).isEmpty();
      assertThat(simulation.leaks()).as(() -> "seed " + seed).isEmpty();
      courses.add(simulation.fingerprint());
    }
    assertThat(courses).hasSizeGreaterThan(SCHEDULES * 99 / 100);
  }

  @Test
  @Tag("sim-9")
  void randomPrograms_repeatTheirCourse() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(run(seed, seed).fingerprint())
          .as("seed " + seed)
          .isEqualTo(run(seed, seed).fingerprint());
    }
  }
}
