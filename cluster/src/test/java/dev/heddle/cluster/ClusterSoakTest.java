// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// [ClusterSoak], for `heddle.soak.seconds`: 20 where that is not said; `./heddle soak cluster`
/// says minutes. Only counts are judged, no time, unless the run has minutes.
///
/// With the log of voters on the class path it has names and shards: the module of that log runs it
/// so. This module alone has none, and runs it for a few seconds without.
@Timeout(value = 1, unit = TimeUnit.DAYS) // each step of it has a guard
@EnabledOnOs(OS.LINUX) // for signals and /proc
class ClusterSoakTest {
  private static final boolean HAS_NAMES = hasNames();
  private static final long SECONDS = Long.getLong("heddle.soak.seconds", HAS_NAMES ? 20 : 5);
  private static final long ROUND_SECONDS = 40;

  @TempDir Path folder;

  static boolean hasNames() {
    if (System.getProperty(NodeJvm.VOTERS_JAR) != null) {
      return true;
    }
    try {
      Class.forName("dev.heddle.cluster.ratis.RatisNameStoreProvider");
      return true;
    } catch (ClassNotFoundException _) {
      return false;
    }
  }

  @Test
  @Tag("C1")
  @Tag("C2")
  @Tag("C3")
  @Tag("C4")
  @Tag("C6")
  @Tag("C7")
  @Tag("C8")
  @SuppressWarnings("ClosingStandardOutputStreams") // it closes its nodes, and no stream
  void cutsPausesKillsAndLeaves_loseRepeatAndReorderNothing() throws Exception {
    long seed = Long.getLong("heddle.seed", System.nanoTime());
    System.out.println("seed " + seed + ", " + SECONDS + " s");
    System.out.println(HAS_NAMES ? "with names and shards" : "without names and shards");
    try (ClusterSoak soak = new ClusterSoak(seed, System.out, folder, HAS_NAMES)) {
      List<String> problems = soak.run(SECONDS, ROUND_SECONDS);
      System.out.println(soak.report());
      assertThat(problems).as("seed " + seed).isEmpty();
    }
  }
}
