// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// JVMs that cannot take a virtual thread off its carrier where it waits in a monitor.
@Tag("T13.2")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PinnedWaitTest {
  /// The first loop stood for an hour: it tried such a wait.
  @Test
  void firstLoop_whereMonitorsPin_beginsAtOnce_andLeavesTimedWaitsToTheJdk() throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(PinnedWaitProgram.class)
            .with("-XX:+IgnoreUnrecognizedVMOptions", "-XX:LockingMode=1")
            .run();

    assertThat(child.exitCode()).isZero();
    assumeTrue(!child.output().contains("served: null"), "no monitor of this JVM pins a thread");
    assertThat(child.output()).contains("asked for 0 timers");
  }
}
