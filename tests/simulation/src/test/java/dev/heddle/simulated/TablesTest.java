// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.fray.FrayFailing;
import dev.heddle.simulated.fray.FrayPassing;
import dev.heddle.simulated.kinds.BugKinds;
import dev.heddle.simulated.program.Program;
import dev.heddle.simulated.sct.SctBench;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The tables are complete: as many programs as their origins have.
class TablesTest {
  @Test
  void sctBench_has28Programs_thatMustFail() {
    assertThat(names(SctBench.ALL)).hasSize(28).doesNotHaveDuplicates();
    assertThat(SctBench.ALL).allMatch(Program::mustFail);
  }

  @Test
  void fray_has25Programs_thatMustFail() {
    assertThat(names(FrayFailing.ALL)).hasSize(25).doesNotHaveDuplicates();
    assertThat(FrayFailing.ALL).allMatch(Program::mustFail);
  }

  @Test
  void fray_has52Programs_thatPass() {
    assertThat(names(FrayPassing.ALL)).hasSize(52).doesNotHaveDuplicates();
    assertThat(FrayPassing.ALL).noneMatch(Program::mustFail);
  }

  @Test
  void kinds_are7() {
    assertThat(names(BugKinds.ALL)).hasSize(7).doesNotHaveDuplicates();
    assertThat(BugKinds.ALL).allMatch(Program::mustFail);
  }

  private static List<String> names(List<Program> programs) {
    return programs.stream().map(Program::name).toList();
  }
}
