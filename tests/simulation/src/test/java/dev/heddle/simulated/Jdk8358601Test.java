// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.Findings.Finding;
import dev.heddle.simulated.kinds.BugKinds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A bug inside `java.util.concurrent`: it needs preemption there, which this class's JVM has and
/// the others have not.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("points-in-the-jdk")
class Jdk8358601Test {
  @Test
  void scheduleDuringShutdown_deadlocks() {
    Finding finding = Findings.explore(BugKinds.JDK_8358601, Search.WALK, 0, 2_000);
    IO.println(finding);
    assertThat(finding.isBug()).as("%s", finding).isTrue();
  }
}
