// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.hosting.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Very many coroutines at once, each in a wait of its own.
@Tag("T16")
@Timeout(value = 1_800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MillionTest {
  private static ChildJvm.Result delayed(int coroutines, String heap) throws Exception {
    return ChildJvm.of(DelaysProgram.class).with("-Xmx" + heap, "-Dcoroutines=" + coroutines).run();
  }

  @Test
  void hundredThousandCoroutines_eachDelayed_finishInOneRun() throws Exception {
    ChildJvm.Result child = delayed(100_000, "400m");
    assertThat(child.output()).contains("100000 finished, 1 timer left, 0 looks");
    assertThat(child.exitCode()).isZero();
  }

  // 1.5 KB each when the code is compiled, 2.6 KB while it is interpreted
  @Test
  @Tag("full")
  void millionCoroutines_eachDelayed_finishInOneRunWithThreeGigabytes() throws Exception {
    ChildJvm.Result child = delayed(1_000_000, "3g");
    assertThat(child.output()).contains("1000000 finished, 1 timer left, 0 looks");
    assertThat(child.exitCode()).isZero();
  }

  private static ChildJvm.Result deadlocked(int coroutines, String heap) throws Exception {
    return ChildJvm.of(DeadlockedProgram.class)
        .with("-Xmx" + heap, "-Dcoroutines=" + coroutines)
        .run();
  }

  @Test
  @Tag("T18")
  @Tag("T19")
  void hundredThousandCoroutines_deadlocked_allCleanUpWithinTheDefaultDeadline() throws Exception {
    ChildJvm.Result child = deadlocked(100_000, "1g");
    assertThat(child.output())
        .contains(
            "100000 cleaned up; Deadlock: no active coroutines, 100,000 coroutines in waiting",
            "within the default deadline")
        .doesNotContain("did not end");
  }

  @Test
  @Tag("full")
  @Tag("T18")
  @Tag("T19")
  void millionCoroutines_deadlocked_allCleanUpWithinTheDefaultDeadline() throws Exception {
    ChildJvm.Result child = deadlocked(1_000_000, "4g");
    assertThat(child.output())
        .contains(
            "1000000 cleaned up; Deadlock: no active coroutines, 1,000,000 coroutines in waiting",
            "within the default deadline")
        .doesNotContain("did not end");
  }
}
