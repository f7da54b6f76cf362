// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.hosting.StuckExitProgram.Scenario;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A signal ends its process, whoever holds which lock. In JVMs of their own.
@Tag("T18.1")
@Tag("once")
class StuckExitTest {
  private static ChildJvm.Result run(Scenario scenario) throws IOException, InterruptedException {
    return ChildJvm.of(StuckExitProgram.class).with("-Dscenario=" + scenario).run();
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "HOLDS_THE_CARRIER",
        "STANDS_OUTSIDE_COROUTINES",
        "HOOK_BEHIND_A_COROUTINE",
        "HOOK_BEHIND_A_COROUTINE_UNHANDLED"
      })
  void signal_toAProcessWhoseEndIsHeldUpForEver_endsItWithItsCode(Scenario scenario)
      throws Exception {
    assertThat(run(scenario).exitCode()).isEqualTo(143);
  }

  @Test
  void signal_toALoopWhoseCarrierIsHeld_namesWhoHoldsIt() throws Exception {
    assertThat(run(Scenario.HOLDS_THE_CARRIER).output())
        .contains("the loop 'heddle' has not ended", "after SIGTERM")
        .contains("StuckExitProgram");
  }

  @Test
  void signal_toALoopThatStandsOutsideCoroutines_namesTheLockAndItsHolder() throws Exception {
    assertThat(run(Scenario.STANDS_OUTSIDE_COROUTINES).output())
        .contains("the loop 'heddle' has not ended", "the loop's own thread waits")
        .contains("held by thread 'the holder'", "StuckExitProgram.stand");
  }

  @Test
  void halt_ofAProcessWhoseHooksDoNotReturn_namesTheHook() throws Exception {
    assertThat(run(Scenario.HOOK_BEHIND_A_COROUTINE).output())
        .contains("the JVM is halted with code 143")
        .contains("StuckExitProgram$Stuck.close");
  }

  @Test
  void slowHook_ofAProcessWhoseLoopsHaveEndedInOrder_hasItsTime() throws Exception {
    ChildJvm.Result child = run(Scenario.SLOW_HOOK);
    assertThat(child.output().lines()).containsExactly("in order");
    assertThat(child.exitCode()).isEqualTo(143);
  }
}
