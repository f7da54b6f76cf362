// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A JVM that ends while it is observed is said to have ended: by name, when, and how.
///
/// Its loop is held, so that an answer takes two seconds: each JVM ends while a command waits for
/// one. It ends when this test says so, by a file. (A JVM that shuts down answers until its end:
/// TopIT.)
@Tag("watch-6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndedJvmIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private static final String PROGRAM =
      """
      import dev.heddle.*;
      import java.nio.file.*;

      void main(String[] args) {
        var end = new Thread(() -> end(args[0], Path.of(args[1])));
        end.setDaemon(true);
        end.start();
        Heddle.run(() -> Heddle.launch("burner", this::burn));
      }

      void burn() {
        IO.println("ready");
        while (true) {}
      }

      void end(String how, Path sign) {
        while (!Files.exists(sign)) {
          Thread.onSpinWait();
        }
        switch (how) {
          case "halt" -> Runtime.getRuntime().halt(4);
          default -> {}
        }
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();
  private final List<Long> orphans = new ArrayList<>();
  private Path sign = Path.of("");

  @BeforeEach
  void needsProc() throws IOException {
    assumeTrue(
        Files.isReadable(Path.of("/proc/self/task")), "no /proc: cannot be seen from outside");
    sign = Files.createTempDirectory(checkout.root(), "end").resolve("sign");
  }

  @AfterEach
  void endThem() throws InterruptedException {
    orphans.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private List<String> command(String how) throws IOException {
    return List.of(
        JAVA.toString(),
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "-cp",
        System.getProperty("heddle.jar"),
        checkout.write("Ends.java", PROGRAM).toString(),
        how,
        sign.toString());
  }

  private long start(String how) throws Exception {
    Outcome.Started child = Outcome.start(command(how), checkout.root(), Map.of(), "");
    started.add(child);
    child.awaitOutput("ready");
    return child.process().pid();
  }

  /// A JVM whose parent never asks for its exit code, so that the system keeps that.
  private long startOfACarelessParent(String how) throws Exception {
    String java = String.join("' '", command(how));
    Outcome.Started shell =
        Outcome.start(
            List.of("sh", "-c", "'" + java + "' & echo pid $! end; exec sleep 1000"),
            checkout.root(),
            Map.of(),
            "");
    started.add(shell);
    shell.awaitOutput("ready");
    long pid = Long.parseLong(shell.read("out").replaceFirst("(?s).*pid (\\d+) end.*", "$1"));
    orphans.add(pid);
    return pid;
  }

  /// Starts a command, and returns when it is being answered.
  private Outcome.Started observe(long pid, String... words) throws Exception {
    Outcome.Started observer = checkout.start(words);
    started.add(observer);
    while (!isObserved(pid)) {
      assertThat(observer.process().isAlive()).as(observer.read("err")).isTrue();
      Thread.onSpinWait();
    }
    return observer;
  }

  // its answers are awaited for two seconds then: the loop is held
  private static boolean isObserved(long pid) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path task : tasks.toList()) {
        if (name(task).equals("heddle-attach")) {
          return true;
        }
      }
      return false;
    }
  }

  private static String name(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (IOException _) {
      return ""; // it has ended meanwhile
    }
  }

  private static void assertSaid(Outcome outcome, long pid, String how) {
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err())
        .hasLineCount(1)
        .containsPattern(
            "^heddle: process %d \\(Ends.java\\) ended at \\d\\d:\\d\\d(:\\d\\d)?%s\n$"
                .formatted(pid, how));
  }

  private static void kill(long pid) throws Exception {
    assertThat(new ProcessBuilder("kill", "-KILL", Long.toString(pid)).start().waitFor()).isZero();
  }

  @Test
  void killed_isSaidToHaveBeen() throws Exception {
    for (String command : List.of("dump", "ps")) {
      long pid = start("never");
      Outcome.Started observer = observe(pid, command, Long.toString(pid));
      kill(pid);
      // by the system, if its parent has not asked it yet
      String how = "(, killed by SIGKILL|: it was killed, halted or has crashed, .*)";
      assertSaid(Outcome.of(observer), pid, how);
      assertThat(Path.of("/tmp/.heddle-" + pid)).doesNotExist();
    }
  }

  @Test
  void exitCode_isShown_whereTheSystemStillHasIt() throws Exception {
    long halted = startOfACarelessParent("halt");
    Outcome.Started dump = observe(halted, "dump", Long.toString(halted));
    Files.createFile(sign);
    assertSaid(Outcome.of(dump), halted, " with exit code 4");
    long killed = startOfACarelessParent("never");
    Outcome.Started ps = observe(killed, "ps", Long.toString(killed));
    kill(killed);
    assertSaid(Outcome.of(ps), killed, ", killed by SIGKILL");
  }

  @Test
  void processThatHadEndedBefore_isNotSaidToRefuse() throws Exception {
    long pid = startOfACarelessParent("never");
    kill(pid);
    Outcome outcome = checkout.heddle("ps", Long.toString(pid));
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).isEqualTo("heddle: process " + pid + " has ended\n");
    assertThat(checkout.heddle("ps").err()).doesNotContain(Long.toString(pid));
  }
}
