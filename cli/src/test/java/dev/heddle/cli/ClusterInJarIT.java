// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the cluster costs those who do not use it: space in the jar, and no class that is loaded.
class ClusterInJarIT {
  private static final Path JAR = Path.of(System.getProperty("heddle.jar"));
  private static final int MOST_BYTES = 6_000_000;

  @TempDir Path folder;

  /// All that is neither Heddle without its cluster nor Netty: so a library that the cluster needs
  /// tomorrow counts, too.
  @Test
  void clusterAndWhatItNeeds_addLittleToTheJar() throws IOException {
    try (ZipFile jar = new ZipFile(JAR.toFile())) {
      long bytes =
          jar.stream()
              .filter(entry -> belongsToTheCluster(entry.getName()))
              .mapToLong(entry -> entry.getCompressedSize())
              .sum();
      assertThat(bytes).isBetween(1_000_000L, (long) MOST_BYTES);
      assertThat(jar.getEntry("org/jgroups/JChannel.class")).isNotNull();
    }
  }

  private static boolean belongsToTheCluster(String entry) {
    boolean isOfOthers =
        entry.startsWith("META-INF/")
            || entry.startsWith("io/netty/")
            || (entry.startsWith("dev/heddle/") && !entry.startsWith("dev/heddle/cluster/"));
    return !isOfOthers;
  }

  /// As the launcher runs it, without the caches.
  @ParameterizedTest
  @ValueSource(strings = {"--help", "doctor", "ps"})
  void command_loadsNoClassOfTheCluster(String command) throws Exception {
    Path log = folder.resolve("classes");
    Outcome outcome =
        Outcome.of(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Xlog:class+load:file=" + log + ":none",
                "-cp",
                JAR.toString(),
                "dev.heddle.cli.HeddleCommand",
                command),
            folder,
            Map.of(),
            "");
    assertThat(outcome.err()).doesNotContain("Exception");
    assertThat(Files.readAllLines(log))
        .noneMatch(ClusterInJarIT::isOfTheCluster)
        .anyMatch(line -> line.startsWith("dev.heddle.cli.HeddleCommand "));
  }

  /// With the caches, from which the JVM may load classes that nobody has asked for.
  @Test
  void programWithProcesses_loadsNoClassOfTheCluster_untilItJoins() throws Exception {
    var checkout = Checkout.ready();
    checkout.write(
        "Joins.java",
        """
        import dev.heddle.cluster.*;
        import dev.heddle.process.*;
        import java.time.Duration;

        void main(String[] args) throws Exception {
          if (args.length > 0) {
            int port = Integer.parseInt(args[0]);
            var alone = ClusterOptions.named("a").bind("127.0.0.1", port).seeds("127.0.0.1:" + port);
            try (Cluster cluster = Cluster.join(alone)) {
              IO.println("joined");
            }
            return;
          }
          try (ProcessRuntime runtime = ProcessRuntime.start()) {
            Pid pid = runtime.spawn(CoroutineProcess.ofAction(_ -> IO.println("ran")));
            runtime.awaitExit(pid, Duration.ofMinutes(1));
          }
        }
        """);
    Path alone = folder.resolve("alone");
    Path joined = folder.resolve("joined");
    assertThat(checkout.heddle("run", logging(alone), "Joins.java").out()).isEqualTo("ran\n");
    String port = Integer.toString(TestPorts.next()); // another program may have the usual ones
    assertThat(checkout.heddle("run", logging(joined), "Joins.java", port).out())
        .isEqualTo("joined\n");
    assertThat(Files.readAllLines(alone))
        .noneMatch(ClusterInJarIT::isOfTheCluster)
        .anyMatch(line -> line.startsWith("dev.heddle.process.ProcessRuntime "));
    assertThat(Files.readAllLines(joined)).anyMatch(ClusterInJarIT::isOfTheCluster);
  }

  private static String logging(Path file) {
    return "-J-Xlog:class+load:file=" + file + ":none";
  }

  /// A line of the JVM, of a class that was loaded.
  private static boolean isOfTheCluster(String line) {
    return line.startsWith("org.jgroups.") || line.startsWith("dev.heddle.cluster.");
  }
}
