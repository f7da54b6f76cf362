// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// `./heddle bench --against`: another commit is built beside this one, and both are measured.
@Tag("full")
class BenchAgainstIT {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Map<String, String> JDK =
      Map.of("JAVA_HOME", System.getProperty("java.home"));
  private static final long GUARD_SECONDS = 1_800; // two builds and 32 JVMs, on a busy machine

  private static Outcome against(String commit) throws Exception {
    String heddle = ROOT.resolve("heddle").toString();
    return Outcome.of(
        Outcome.start(
            List.of(heddle, "bench", "--quick", "--against", commit, "await-ready"), ROOT, JDK, ""),
        GUARD_SECONDS);
  }

  @Test
  void newestCommit_isBuiltAndMeasured_andTheLastLineSaysWhatChanged() throws Exception {
    Outcome outcome = against("HEAD");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).containsPattern("row\tcontender\t[0-9a-f]{10}\tnow\t");
    assertThat(outcome.out()).contains("await-ready\theddle\t").contains("heddle-launcher");
    assertThat(outcome.err()).containsPattern("changed beyond noise since [0-9a-f]{10}");
  }

  @Test
  void commitThatIsNone_isNamed_andNothingIsMeasured() throws Exception {
    Outcome outcome = against("no-such-commit");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("git knows no commit 'no-such-commit'");
    assertThat(outcome.out()).isEmpty();
  }
}
