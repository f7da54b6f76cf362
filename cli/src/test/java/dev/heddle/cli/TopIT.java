// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `heddle top` on a pseudo-terminal and on a pipe, at real JVMs.
@Tag("watch-2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final String DOWN = "\033[B";
  private static final String LEFT = "\033[D";
  private static final String ESCAPE = "\033";
  private static final String OTHER_SCREEN = "\033\\[\\?1049h"; // as a pattern

  private static final String PROGRAM =
      """
      import dev.heddle.*;
      import dev.heddle.process.*;
      import dev.heddle.sync.*;
      import java.nio.file.*;
      import java.time.Duration;

      void main(String[] args) throws Exception {
        var runtime = ProcessRuntime.builder().workers(2).host("shop").start();
        var held = new java.util.concurrent.CountDownLatch(1);
        var begun = new java.util.concurrent.CountDownLatch(1);
        Pid slow = runtime.spawn((events, out) -> {
          if (!events.isEmpty()) {
            begun.countDown();
            held.await();
          }
        });
        runtime.send(slow, "first");
        begun.await(); // it takes what there is
        for (int i = 0; i < 99; i++) {
          runtime.send(slow, i);
        }
        Thread.ofPlatform().daemon().start(() -> end(args[0], Path.of(args[1])));
        Heddle.run(() -> {
          var ledger = new Mutex("ledger");
          Heddle.background("auditor", () -> { ledger.lock(); nap(); });
          for (int i = 0; i < 3; i++) {
            Heddle.background("clerk-" + i, () -> ledger.lock());
          }
          for (int i = 0; i < 40; i++) {
            Heddle.background("napper-" + i, this::nap);
          }
          Heddle.yieldNow();
          IO.println("ready");
          while (!over) {
            Heddle.delay(Duration.ofMillis(10));
          }
        });
        Runtime.getRuntime().exit(0); // the runtime's workers are no daemons
      }

      volatile boolean over;

      void nap() {
        Heddle.delay(Duration.ofHours(1));
      }

      void end(String how, Path sign) {
        while (!Files.exists(sign)) {
          Thread.onSpinWait();
        }
        if (how.equals("exit")) {
          System.exit(3);
        }
        over = true;
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();
  private Path sign = Path.of("");

  @BeforeEach
  void needsLinux() throws IOException {
    assumeTrue(Files.isReadable(Path.of("/proc/self/task")), "the terminals are those of Linux");
    sign = Files.createTempDirectory(checkout.root(), "end").resolve("sign");
  }

  @AfterEach
  void endThem() throws InterruptedException {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private String start(String how) throws Exception {
    Outcome.Started child =
        Outcome.start(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("heddle.jar"),
                checkout.write("Shop.java", PROGRAM).toString(),
                how,
                sign.toString()),
            checkout.root(),
            Map.of(),
            "");
    started.add(child);
    child.awaitOutput("ready");
    return Long.toString(child.process().pid());
  }

  private PseudoTerminal top(String pid) throws IOException {
    return checkout.onTerminal(100, 40, "before", "top", pid);
  }

  private static String line(String screen, int number) {
    return screen.lines().toList().get(number).stripTrailing();
  }

  @Test
  void screen_showsWhatRuns_andQuitRestoresTheTerminal() throws Exception {
    String pid = start("never");
    try (PseudoTerminal terminal = top(pid)) {
      Pattern waiter = Pattern.compile("coroutine-\\d+ 'clerk-0' +the mutex 'ledger' .*'auditor'");
      String screen = terminal.await(now -> waiter.matcher(now).find()); // what is above it, too
      assertThat(line(screen, 0)).startsWith("heddle top   Shop.java (process " + pid + ")");
      assertThat(screen)
          .doesNotContain("before")
          .contains("LOOP ", "heddle ", "RUNTIME ", "shop ")
          .containsPattern("(?m)^ *40 +waiting .* timer ")
          .containsPattern("(?m)^ *3 +waiting .* mutex ");
      assertThat(terminal.isAsBefore()).isFalse();
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
      assertThat(terminal.screen().strip()).isEqualTo("before");
      assertThat(terminal.isAsBefore()).isTrue();
    }
  }

  @Test
  void arrows_leadIntoAStack_andBack() throws Exception {
    try (PseudoTerminal terminal = top(start("never"))) {
      terminal.await("Longest waits");
      terminal.type("o" + DOWN);
      terminal.await("by oldest");
      terminal.type("\r");
      for (String part : List.of("at Shop.", "spawned at", "waits for")) {
        terminal.await(part);
      }
      terminal.type(LEFT);
      terminal.await("Longest waits");
      terminal.type("?");
      terminal.await("sites by count, by oldest wait, by spawn site");
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
    }
  }

  @Test
  void filter_showsOnlyWhatContainsIt_untilEscape() throws Exception {
    try (PseudoTerminal terminal = top(start("never"))) {
      terminal.await(screen -> screen.contains("mutex") && screen.contains(" timer "));
      terminal.type("/LEDGER");
      terminal.await("/LEDGER_");
      terminal.await(now -> now.contains("the mutex 'ledger'") && !now.contains(" timer "));
      terminal.type("\r");
      terminal.await("filter: LEDGER");
      terminal.type(ESCAPE);
      terminal.await(now -> now.contains(" timer ") && !now.contains("filter: "));
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
    }
  }

  @Test
  void terminalThatIsResized_isFilledAnew() throws Exception {
    try (PseudoTerminal terminal = top(start("never"))) {
      terminal.await("Longest waits");
      terminal.resize(60, 12);
      terminal.await(now -> line(now, 11).startsWith("q quit") && line(now, 0).length() < 60);
      terminal.resize(120, 50);
      terminal.await(
          now -> line(now, 49).startsWith("q quit") && now.contains("Fullest mailboxes"));
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
    }
  }

  @Test
  void signal_restoresTheTerminal() throws Exception {
    try (PseudoTerminal terminal = top(start("never"))) {
      terminal.await("Longest waits");
      terminal.process().destroy();
      terminal.awaitEnd();
      assertThat(terminal.screen().strip()).isEqualTo("before");
      assertThat(terminal.isAsBefore()).isTrue();
    }
  }

  @Test
  void jvmThatIsStopped_isSaidNotToAnswer_untilItGoesOn() throws Exception {
    String pid = start("never");
    String why = "process " + pid + " is stopped and does not answer; kill -CONT " + pid;
    try (PseudoTerminal terminal = top(pid)) {
      terminal.await("Longest waits");
      signal("STOP", pid);
      terminal.await(screen -> line(screen, 0).startsWith(why));
      assertThat(terminal.screen()).as("what was seen before").contains("Longest waits");
      signal("CONT", pid);
      terminal.await(screen -> line(screen, 0).startsWith("heddle top "));
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
    }
  }

  /// The other screen and the raw mode stayed, and what was typed at the shell was not seen.
  @Test
  void stoppedByTheTerminal_restoresIt_andTheScreenIsThereAgainAfterwards() throws Exception {
    try (PseudoTerminal terminal = top(start("never"))) {
      String self = Long.toString(terminal.process().pid());
      for (int i = 1; i <= 2; i++) {
        terminal.await("Longest waits");
        signal("TSTP", self);
        awaitStopped(terminal, i);
        signal("CONT", self);
      }
      terminal.await("Longest waits");
      assertThat(terminal.isAsBefore()).isFalse();
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isZero();
      assertThat(terminal.screen().strip()).isEqualTo("before");
      assertThat(terminal.isAsBefore()).isTrue();
    }
  }

  // until it is stopped. Where these tests have no shell above them, the system ignores such a
  // signal: then until the screen was left, and entered again
  private static void awaitStopped(PseudoTerminal terminal, int times) throws Exception {
    while (!isStopped(terminal.process().pid())) {
      if (terminal.written().split(OTHER_SCREEN, -1).length - 1 > times) {
        return;
      }
      Thread.onSpinWait();
    }
    terminal.await(screen -> screen.strip().equals("before"));
    assertThat(terminal.isAsBefore()).isTrue();
  }

  private static boolean isStopped(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
  }

  // the shell's own kill: a system may come without the program
  private static void signal(String name, String pid) throws Exception {
    String command = "kill -" + name + " " + pid;
    assertThat(new ProcessBuilder("sh", "-c", command).start().waitFor()).isZero();
  }

  @ParameterizedTest
  @Tag("watch-6")
  @CsvSource({
    // a JVM that gets no processor for its last words is not heard
    "kill, '(, killed by SIGKILL| without saying that it shuts down)'",
    "exit, '( with exit code 3|: it shut down| without saying that it shuts down)'",
    "main, '( with exit code 0|: it shut down| without saying that it shuts down)'"
  })
  void jvmThatEnds_isSaidToHave(String how, String words) throws Exception {
    String pid = start(how);
    try (PseudoTerminal terminal = top(pid)) {
      terminal.await("Longest waits");
      if (how.equals("kill")) {
        var _ = started.getLast().process().destroyForcibly();
      } else {
        Files.createFile(sign);
      }
      String ended = "process %s \\(Shop.java\\) ended at [0-9:]+%s".formatted(pid, words);
      Pattern shown = Pattern.compile(ended);
      terminal.await(screen -> shown.matcher(line(screen, 0)).find());
      terminal.type("q");
      assertThat(terminal.awaitEnd()).isEqualTo(1);
      assertThat(terminal.screen()).containsPattern("heddle: " + ended);
      assertThat(terminal.isAsBefore()).isTrue();
    }
  }

  @Test
  void pipe_getsTables_withoutTerminalCommands() throws Exception {
    String pid = start("never");
    Outcome once = checkout.heddle("top", "--once", pid);
    assertThat(once.code()).as(once.err()).isZero();
    assertThat(once.out())
        .startsWith("heddle top   Shop.java (process " + pid + ")")
        .contains("LOOP ", "Sites of 'heddle', by count", "Workers of 'shop'")
        .containsPattern("(?m)^ *9\\d +.* running ") // of 100 messages
        .doesNotContain(ESCAPE);
    Outcome.Started piped = checkout.start("top", pid);
    started.add(piped);
    while (tables(piped.read("out")) < 3) {
      assertThat(piped.process().isAlive()).as(piped.read("err")).isTrue();
      Thread.onSpinWait();
    }
    assertThat(piped.read("out")).doesNotContain(ESCAPE).containsPattern("heddle +(asleep|busy)");
  }

  @Test
  void pipeThatNobodyReads_endsIt() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(checkout.root().resolve("heddle").toString(), "top", start("never"))
            .directory(checkout.root().toFile())
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(Checkout.withJdk(Map.of()));
    Process top = builder.start();
    try (BufferedReader tables = top.inputReader()) {
      assertThat(tables.readLine()).startsWith("heddle top ");
    }
    try {
      assertThat(top.waitFor()).isZero();
    } finally {
      top.destroyForcibly();
    }
  }

  private static long tables(String out) {
    return out.lines().filter(line -> line.startsWith("heddle top ")).count();
  }

  @Test
  void wrongProcess_isRefused_withWhatToDo() throws Exception {
    assertRefused(checkout.heddle("top", "999999999"), "there is no process 999999999");
    String one = start("never");
    String other = start("never");
    Outcome several = checkout.heddle("top", "--once");
    assertRefused(several, "several programs run: ", "name one of them, as in: heddle top ");
    assertThat(several.err()).contains(one + " (Shop.java)", other + " (Shop.java)");
    Outcome wrong = checkout.heddle("top", "--interval", "0", one);
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.err()).contains("--interval 0", "Usage: heddle top");
    assertThat(checkout.heddle("top", "--help").out())
        .contains("--once", "--interval", "/ filters");
  }

  private static void assertRefused(Outcome outcome, String... why) {
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("heddle: ").hasLineCount(1);
    assertThat(Arrays.asList(why)).allSatisfy(each -> assertThat(outcome.err()).contains(each));
  }
}
