// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static dev.heddle.cluster.ClusterJvmsTest.awaitLoss;
import static dev.heddle.cluster.ClusterJvmsTest.millis;
import static dev.heddle.cluster.ClusterJvmsTest.printTimes;
import static dev.heddle.cluster.ClusterJvmsTest.watch;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// A node of three, each in a JVM of its own, that stands still for 20 s: SIGSTOP, then SIGCONT.
@Timeout(900)
@EnabledOnOs(OS.LINUX) // for signals
class ClusterJvmsStoppedTest {
  private static final long STOPPED_MILLIS = 20_000;
  private static final long SILENCE_MILLIS = 6_000;

  @Test
  void stoppedNode_isDown_andLearnsAtOnceWhenItIsResumed_thenIsBack() throws Exception {
    try (NodeJvms nodes = new NodeJvms("a", "b", "stopped")) {
      NodeJvm a = nodes.start("a");
      NodeJvm b = nodes.start("b");
      NodeJvm stopped = nodes.start("stopped");
      for (NodeJvm one : new NodeJvm[] {a, b}) {
        one.waitFor("UP stopped");
        watch(one, "stopped");
      }
      nodes.exchange("a", "b");
      stopped.waitFor("UP a");
      long from = System.currentTimeMillis();
      java.lang.Process shell = stopped.stopUntilClosed(STOPPED_MILLIS);
      for (NodeJvm one : new NodeJvm[] {a, b}) { // its connections stay open: only silence tells
        String loss = awaitLoss("SIGSTOP", from, "stopped", one);
        assertThat(loss).matches("(SILENCE|UNACKNOWLEDGED|NO_ANSWER): .*"); // mostly the first
        if (loss.startsWith("SILENCE")) {
          assertThat(millis(loss)).isGreaterThanOrEqualTo(SILENCE_MILLIS);
        }
      }
      nodes.exchange("a", "b"); // the others go on
      shell.getOutputStream().close();
      assertThat(shell.waitFor()).isZero();
      NodeJvm.Line lost = stopped.waitFor("LOST");
      printTimes("SIGSTOP", from, lost);
      assertThat(lost.millis() - from).as("it stood still").isGreaterThanOrEqualTo(STOPPED_MILLIS);
      for (NodeJvm one : new NodeJvm[] {a, b}) {
        printTimes("SIGSTOP", from, one.waitFor("UP stopped"));
      }
      nodes.exchange("a", "stopped");
    }
  }
}
