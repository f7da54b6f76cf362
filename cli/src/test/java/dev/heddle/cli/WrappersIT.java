// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Programs that start others pass signals on, to their child and to its process group. Where one
/// of them is not installed the test sends the same signals itself.
@Tag("loop-307")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WrappersIT {
  private static final Set<String> MISSING = new TreeSet<>();

  /// Its signals are one request however slow the machine is: its clock stands still. It cleans up
  /// until the file `go` is there.
  private static final String PROGRAM =
      """
      import dev.heddle.Heddle;
      import java.lang.reflect.Method;
      import java.nio.file.Files;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.function.LongSupplier;

      void main() throws Exception {
        stopClock();
        IO.println("up");
        try {
          Heddle.delay(Duration.ofHours(1));
        } finally {
          IO.println("cleaning up");
          while (!Files.exists(Path.of("go"))) {
            Heddle.delay(Duration.ofMillis(5));
          }
          IO.println("cleaned up");
        }
      }

      void stopClock() throws Exception {
        var read =
            Class.forName("dev.heddle.loop.SignalDispatcher")
                .getDeclaredMethod("readTimeFrom", LongSupplier.class);
        read.setAccessible(true);
        Thread.ofPlatform().start(() -> replace(read)).join();
      }

      void replace(Method read) {
        try {
          read.invoke(null, (LongSupplier) this::read);
        } catch (ReflectiveOperationException e) {
          throw new LinkageError(e.getMessage(), e);
        }
      }

      private int signals;

      synchronized long read() {
        if (Thread.currentThread().getName().endsWith(" handler") && ++signals == 2) {
          IO.println("second signal");
        }
        return 0;
      }
      """;

  private final Checkout checkout = Checkout.ready();

  @BeforeEach
  void write() throws IOException {
    checkout.write("Grace.java", PROGRAM);
    Files.deleteIfExists(checkout.root().resolve("go"));
  }

  @AfterAll
  static void sayWhatWasMissing() {
    if (!MISSING.isEmpty()) {
      System.out.println("WrappersIT: not installed here, and done without: " + MISSING);
    }
  }

  private void letGo() throws IOException {
    checkout.write("go", "");
  }

  private static void kill(String signal, String... whom) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "kill -" + signal + " \"$@\"", "sh"));
    command.addAll(List.of(whom));
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private static boolean isInstalled(String tool) {
    boolean found = false;
    for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
      found |= Files.isExecutable(Path.of(folder, tool));
    }
    if (!found) {
      MISSING.add(tool);
    }
    return found;
  }

  /// The program, its clean-up begun by one signal, in `wrapper`.
  private Outcome.Started up(String... wrapper) throws Exception {
    List<String> command = new ArrayList<>(List.of(wrapper));
    command.addAll(List.of(checkout.root().resolve("heddle").toString(), "run", "Grace.java"));
    var environment = Map.of("HEDDLE_JAVA_HOME", System.getProperty("java.home"));
    var started = Outcome.start(command, checkout.root(), environment, "");
    started.awaitOutput("up");
    return started;
  }

  @ParameterizedTest
  @CsvSource({"TERM, TERM, 143", "INT, INT, 130", "INT, TERM, 130", "TERM, INT, 143"})
  void secondSignal_withinASecond_doesNotCutTheCleanUp(String first, String second, int code)
      throws Exception {
    var started = up();
    String pid = Long.toString(started.process().pid());
    kill(first, pid);
    started.awaitOutput("cleaning up");
    kill(second, pid);
    started.awaitOutput("second signal");
    letGo();
    Outcome outcome = Outcome.of(started);

    assertThat(outcome.out()).endsWith("cleaned up\n");
    assertThat(outcome.code()).isEqualTo(code);
  }

  /// It signals its child and then its own process group.
  @Test
  void timeoutThatIsTerminated_letsTheProgramCleanUp() throws Exception {
    boolean wrapped = isInstalled("timeout");
    var started = wrapped ? up("timeout", "3600") : up();
    String pid = Long.toString(started.process().pid());
    kill("TERM", wrapped ? new String[] {pid} : new String[] {pid, pid});
    started.awaitOutput("cleaning up");
    letGo();

    assertThat(Outcome.of(started).out())
        .contains("cleaned up\n"); // the second signal is told when it comes
  }

  /// As a supervisor stops a service: the process, then all of its group.
  @Test
  void processAndThenItsGroup_terminated_letTheProgramCleanUp() throws Exception {
    boolean wrapped = isInstalled("setsid");
    var started = wrapped ? up("setsid", "--wait") : up();
    String pid = Long.toString(started.process().pid());
    kill("TERM", pid, wrapped ? "-" + pid : pid);
    started.awaitOutput("cleaning up");
    letGo();
    Outcome outcome = Outcome.of(started);

    assertThat(outcome.out()).contains("cleaned up\n"); // the second signal is told when it comes
    assertThat(outcome.code()).isEqualTo(143);
  }

  @Test
  void ctrlC_inATerminal_letsTheProgramCleanUp() throws Exception {
    if (!isInstalled("script")) {
      secondSignal_withinASecond_doesNotCutTheCleanUp("INT", "INT", 130);
      return;
    }
    var terminal =
        new ProcessBuilder(
                "script", "-qec", "env --default-signal=INT ./heddle run Grace.java", "/dev/null")
            .directory(checkout.root().toFile())
            .redirectErrorStream(true);
    terminal.environment().put("HEDDLE_JAVA_HOME", System.getProperty("java.home"));
    Process script = terminal.start();
    try (BufferedReader out = script.inputReader()) {
      awaitLine(out, "up");
      script.outputWriter().append('\3').flush();
      awaitLine(out, "cleaning up");
      letGo();
      awaitLine(out, "cleaned up");
      assertThat(script.waitFor()).isEqualTo(130);
    }
  }

  private static void awaitLine(BufferedReader out, String text) throws IOException {
    StringBuilder seen = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      seen.append(line).append('\n');
      if (line.contains(text)) {
        return;
      }
    }
    throw new AssertionError("never wrote '" + text + "': " + seen);
  }
}
