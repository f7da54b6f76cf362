// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
@EnabledOnOs(OS.LINUX) // where nodes in JVMs of their own are tested
class NodeClassesTest {
  @TempDir Path folder;

  /// Says something, and waits until its input ends; then it fails.
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      System.out.println("is there");
      int _ = args.length == 0 ? 0 : System.in.read();
      Runtime.getRuntime().exit(3);
    }
  }

  private void run(Duration guard, String... arguments) throws Exception {
    List<String> command = NodeJvm.java();
    command.addAll(NodeClasses.shared().options());
    command.add(Program.class.getName());
    command.addAll(List.of(arguments));
    NodeClasses.run(command, folder.resolve("log"), guard);
  }

  /// An archive is made on top of that of the JDK, which not every JDK has.
  @Test
  void nodes_haveTheirClassesFromTheArchive() throws Exception {
    Path ofTheJdk = Path.of(System.getProperty("java.home"), "lib", "server", "classes.jsa");
    assumeTrue(Files.exists(ofTheJdk), "the JDK has no archive of its own");
    try (NodeJvms nodes = new NodeJvms("a")) {
      NodeJvm node = nodes.start("a", "-Xlog:class+load");
      node.waitFor("READY");
      assertThat(node.all())
          .anyMatch(line ->
              line.endsWith(Cluster.class.getName() + " source: shared objects file (top)"));
    }
  }

  @Test
  void trainingThatFails_isAFailure_withWhatItHasSaid() {
    assertThatThrownBy(() -> run(Duration.ofMinutes(4)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has failed with 3; it said:\nis there");
  }

  @Test
  void trainingThatHangs_isEnded_andAFailure() {
    assertThatThrownBy(() -> run(Duration.ZERO, "waits"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("had not ended after PT0S; it said:");
    assertThat(ProcessHandle.current().children())
        .noneMatch(each -> each.info().commandLine().orElse("").endsWith(" waits"));
  }
}
