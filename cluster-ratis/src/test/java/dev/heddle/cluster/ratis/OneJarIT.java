// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.program.VoterProgram;
import dev.heddle.cluster.roster.NameStoreProvider;
import dev.heddle.internal.SpinLock;
import dev.heddle.process.Pid;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The jar that programs get: Ratis and all that it needs are in it, under names of ours.
@Timeout(600)
class OneJarIT {
  private static final Path JAR = Path.of(System.getProperty("heddle.ratis.jar"));

  @TempDir Path root;

  @Test
  void classes_haveNamesOfOurs() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.stream().map(Object::toString).filter(name -> name.endsWith(".class")))
          .isNotEmpty()
          .allMatch(name -> name.startsWith("dev/heddle/cluster/ratis/"));
      assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isEqualTo("dev.heddle.cluster.ratis");
      assertThat(jar.getEntry("META-INF/NOTICE")).isNotNull();
    }
  }

  /// Ratis has native libraries, gRPC and Netty with it: none of them is needed.
  @Test
  void size_isThatOfWhatIsNeeded() throws IOException {
    assertThat(Files.size(JAR)).isLessThan(9_000_000);
  }

  @Test
  void voters_onTheClassPath_outliveAKilledLeader() throws Exception {
    String classPath = paths(Stream.concat(Stream.of(JAR), Stream.concat(heddle(), program())));
    run(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath));
  }

  @Test
  void voters_onTheModulePath_outliveAKilledLeader() throws Exception {
    run(
        List.of(
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--module-path",
            paths(Stream.concat(Stream.of(JAR), Stream.concat(heddle(), jgroups()))),
            "--add-modules",
            "dev.heddle.cluster,dev.heddle.cluster.ratis",
            // for the program of this test only
            "--add-exports",
            "dev.heddle.cluster/dev.heddle.cluster.roster=ALL-UNNAMED",
            "-cp",
            paths(program())));
  }

  private void run(List<String> options) throws Exception {
    try (VoterJvms voters = new VoterJvms(root, options)) {
      try {
        new RaftGate(voters, 3).run(1);
      } catch (AssertionError e) {
        throw new AssertionError(voters.errors(), e);
      }
      assertThat(voters.errors()).doesNotContain("WARNING", "SLF4J");
    }
  }

  private static Stream<Path> heddle() {
    return Stream.of(NameStoreProvider.class, Pid.class, SpinLock.class).map(OneJarIT::pathOf);
  }

  private static Stream<Path> program() {
    return Stream.of(pathOf(VoterProgram.class));
  }

  private static Stream<Path> jgroups() throws ClassNotFoundException {
    return Stream.of(pathOf(Class.forName("org.jgroups.Version")));
  }

  private static Path pathOf(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  private static String paths(Stream<Path> paths) {
    return String.join(File.pathSeparator, paths.map(Path::toString).toList());
  }
}
