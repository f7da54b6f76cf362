// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What `heddle top` shows of processes at work, and what its accounts are, on a pseudo-terminal.
@Tag("watch-2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopWorkIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final String DOWN = "\033[B";

  /// A child that is restarted without end, a command that has no end, a mailbox that grows.
  private static final String PROGRAM =
      """
      import dev.heddle.*;
      import dev.heddle.process.*;
      import dev.heddle.process.supervisor.*;
      import dev.heddle.sync.*;
      import java.time.Duration;
      import java.util.concurrent.CountDownLatch;

      void main() throws Exception {
        java.util.logging.Logger.getLogger("dev.heddle").setLevel(java.util.logging.Level.OFF);
        var runtime = ProcessRuntime.builder().workers(2).host("shop").start();
        runtime.spawn(
            Supervisor.builder()
                .intensity(1_000_000, Duration.ofDays(1))
                .backoff(Backoff.constant(Duration.ofMillis(50)))
                .child(ChildSpec.of("printer", this::broken))
                .build(),
            StartOptions.defaults().withName("printing"));
        runtime.spawn(
            (events, out) -> out.execute(1, Commands.sleep(Duration.ofHours(1))),
            StartOptions.defaults().withName("sleeper"));
        var never = new CountDownLatch(1);
        Pid slow = runtime.spawn(
            CoroutineProcess.of(self -> { never.await(); return null; }),
            StartOptions.defaults().withName("mailer"));
        Heddle.run(() -> {
          Heddle.background("clerk", this::work);
          IO.println("ready");
          while (true) {
            runtime.send(slow, "letter");
            Heddle.delay(Duration.ofMillis(10));
          }
        });
      }

      void work() {
        while (true) {
          Heddle.delay(Duration.ofMillis(5));
        }
      }

      CoroutineProcess broken() {
        return CoroutineProcess.of(self -> {
          throw new IllegalStateException("the printer is out of paper");
        });
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private Outcome.@Nullable Started program;

  @BeforeEach
  void needsLinux() {
    assumeTrue(Files.isReadable(Path.of("/proc/self/task")), "the terminals are those of Linux");
  }

  @AfterEach
  void endIt() throws InterruptedException {
    if (program != null) {
      program.process().destroyForcibly().waitFor();
    }
  }

  private PseudoTerminal top() throws Exception {
    program =
        Outcome.start(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("heddle.jar"),
                checkout.write("Work.java", PROGRAM).toString()),
            checkout.root(),
            Map.of(),
            "");
    program.awaitOutput("ready");
    String pid = Long.toString(program.process().pid());
    return checkout.onTerminal(140, 80, "before", "top", pid);
  }

  private static void awaitRow(PseudoTerminal terminal, String row) throws InterruptedException {
    Pattern pattern = Pattern.compile(row, Pattern.MULTILINE);
    String _ = terminal.await(screen -> pattern.matcher(screen).find());
  }

  @Test
  void workersMailboxesCommandsAndRestarts_haveRows() throws Exception {
    try (PseudoTerminal terminal = top()) {
      awaitRow(terminal, "^WORKER +STATE +RUNS +STOLEN +PARKED +QUEUED *$");
      awaitRow(terminal, "^ *0 +\\w+ +[1-9][\\d,]* +[\\d,]+ +[\\d,]+ +[\\d,]+ *$");
      awaitRow(terminal, "^ *1 +\\w+ +[\\d,]+ +[\\d,]+ +[\\d,]+ +[\\d,]+ *$");
      awaitRow(terminal, "^ *[1-9][\\d,]* +\\+[1-9]\\d* +blocked +dev\\.heddle\\.process\\.Cor");
      awaitRow(terminal, "^ *\\d.* Sleep +Work\\$");
      awaitRow(terminal, "^ *[1-9][\\d,]* +[1-9]\\d* +dev\\.heddle.*\\.Supervisor ");
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
    }
  }

  @Test
  void accounts_areShownOnceAsked_ofSitesTypesAndOfACoroutine() throws Exception {
    try (PseudoTerminal terminal = top()) {
      assertThat(terminal.await("Workers of 'shop'")).doesNotContain("Use of ");
      terminal.type("a");
      terminal.await(screen ->
          screen.contains("Use of 'heddle', for ")
              && screen.contains("Use of the 2 workers of 'shop', for ")
              && screen.contains("Busiest processes of 'shop'"));
      awaitRow(terminal, "^ *\\d+\\.\\d % +[1-9][\\d,]* +\\d.* Work\\..*\\(Work\\.java:\\d+\\)");
      terminal.type("/work\r");
      terminal.await("filter: work");
      terminal.type(DOWN + "\r");
      terminal.await("since there are accounts: ");
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
    }
  }
}
