// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The rounds of [RaftGateTest] with voters in JVMs of their own: kill -9, SIGSTOP, isolation.
@Tag("C6")
class RaftGateJvmsTest {
  @TempDir Path root;

  @Test
  @Timeout(600)
  void fiveRounds_grantNothingTwice_loseNothing_andGoOn() throws Exception {
    run(5, 1);
  }

  @Test
  @Tag("full")
  @Timeout(7200)
  void hundredRounds_grantNothingTwice_loseNothing_andGoOn() throws Exception {
    run(Integer.getInteger("heddle.rounds", 100), Long.getLong("heddle.seed", System.nanoTime()));
  }

  private void run(int rounds, long seed) throws Exception {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> options =
        List.of(
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            classPath.replace(File.pathSeparator + File.pathSeparator, File.pathSeparator));
    try (VoterJvms voters = new VoterJvms(root, options)) {
      new RaftGate(voters, seed).run(rounds);
    }
  }
}
