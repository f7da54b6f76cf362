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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A JVM that ends while it is observed is said to have ended: by name, when, and how.
///
/// Its loop is held, so that an answer takes two seconds: each JVM ends while a command waits for
/// one. It ends when this test says so, after the observer has asked to be told of its end; should
/// the answer have come before, at a machine that is too busy, there is another try. (A JVM that
/// shuts down answers until its end: TopIT.)
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

      // the session's hook: it is there when the observer has asked for the farewell
      boolean isObserved() throws Exception {
        var type = Class.forName("java.lang.ApplicationShutdownHooks");
        var hooks = type.getDeclaredField("hooks");
        hooks.setAccessible(true);
        synchronized (type) {
          return ((java.util.Map<?, ?>) hooks.get(null))
              .keySet().stream()
              .anyMatch(hook -> ((Thread) hook).getName().equals("heddle-attach-end"));
        }
      }

      void end(String how, Path sign) {
        try {
          while (!isObserved()) {
            Thread.onSpinWait();
          }
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
        IO.println("observed");
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
        // is not listed: only this test asks it, not the commands of others that ask all
        "-XX:-UsePerfData",
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

  private interface Start {
    long of() throws Exception;
  }

  private interface End {
    void of(long pid) throws Exception;
  }

  /// Starts a JVM and a command that observes it, and ends the JVM while the command waits for it.
  private void assertSaid(String command, Start start, End end, String how) throws Exception {
    while (true) {
      Files.deleteIfExists(sign);
      long pid = start.of();
      Outcome.Started jvm = started.getLast();
      Outcome.Started observer = checkout.start(command, Long.toString(pid));
      started.add(observer);
      jvm.awaitOutput("observed");
      end.of(pid);
      Outcome outcome = Outcome.of(observer);
      if (outcome.code() != 0) {
        assertSaid(outcome, pid, how);
        assertThat(Path.of("/tmp/.heddle-" + pid)).doesNotExist();
        return;
      }
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

  private static void kill(long pid) {
    assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
  }

  @Test
  void killed_isSaidToHaveBeen() throws Exception {
    // by the system, if its parent has not asked it yet
    String how = "(, killed by SIGKILL| without saying that it shuts down: killed, .*)";
    for (String command : List.of("dump", "ps")) {
      assertSaid(command, () -> start("never"), EndedJvmIT::kill, how);
    }
  }

  @Test
  void exitCode_isShown_whereTheSystemStillHasIt() throws Exception {
    assertSaid(
        "dump",
        () -> startOfACarelessParent("halt"),
        _ -> Files.createFile(sign),
        " with exit code 4");
    assertSaid(
        "ps", () -> startOfACarelessParent("never"), EndedJvmIT::kill, ", killed by SIGKILL");
  }

  @Test
  void processThatHadEndedBefore_isNotSaidToRefuse() throws Exception {
    long pid = startOfACarelessParent("never");
    kill(pid);
    awaitEnd(pid);
    Outcome outcome = checkout.heddle("ps", Long.toString(pid));
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).isEqualTo("heddle: process " + pid + " has ended\n");
    assertThat(checkout.heddle("ps").err()).doesNotContain("process " + pid + " ");
  }

  private static void awaitEnd(long pid) throws IOException {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    while (!Files.readString(stat).contains(") Z ")) { // its parent does not ask
      Thread.onSpinWait();
    }
  }
}
