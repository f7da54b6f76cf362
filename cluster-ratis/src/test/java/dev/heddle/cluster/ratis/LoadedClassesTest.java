// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.program.JoinProgram;
import dev.heddle.ports.TestPorts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Who does not use the log does not load it, though it is on the class path.
@Timeout(300)
class LoadedClassesTest {
  @TempDir Path directory;

  @Test
  void nodeWithoutVoters_loadsNoClassOfTheLog_untilItHasVoters() throws Exception {
    java.lang.Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Xlog:class+load:stdout:none",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                JoinProgram.class.getName(),
                Integer.toString(TestPorts.next()),
                directory.toString())
            .redirectErrorStream(true)
            .start();
    List<String> lines;
    try {
      lines =
          new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertThat(jvm.waitFor()).as(String.join("\n", lines)).isZero();
    } finally {
      jvm.destroyForcibly();
    }
    int without = lines.indexOf(JoinProgram.WITHOUT_VOTERS);
    int with = lines.indexOf(JoinProgram.WITH_VOTERS);
    assertThat(without).isPositive();
    assertThat(with).isGreaterThan(without);
    assertThat(lines.subList(0, without)).filteredOn(LoadedClassesTest::isOfTheLog).isEmpty();
    // else the list above would be empty whatever happens
    assertThat(lines.subList(0, without))
        .anyMatch(line -> line.startsWith("org.jgroups.JChannel "))
        .anyMatch(line -> line.startsWith("dev.heddle.cluster.Cluster "));
    assertThat(lines.subList(without, with))
        .anyMatch(line -> line.startsWith("org.apache.ratis.server."));
  }

  private static boolean isOfTheLog(String line) {
    return line.startsWith("org.apache.ratis.") || line.startsWith("dev.heddle.cluster.ratis.");
  }
}
