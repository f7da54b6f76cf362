// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `heddle ps` and `heddle dump`, asked of real JVMs.
class OtherJvmIT {
  private static final String JAVA =
      ProcessHandle.current().info().command().orElseThrow(IllegalStateException::new);
  private static final int TRIES = 50;
  private static final String[] LIBRARY = {
    "--add-opens=java.base/java.lang=ALL-UNNAMED", "-cp", System.getProperty("heddle.jar")
  };

  /// Two loops: one with waits of all kinds, one with two coroutines alike.
  private static final String WAITING =
      """
      import dev.heddle.*;
      import java.time.Duration;
      import java.util.concurrent.SynchronousQueue;

      void main() {
        Loop.start(HeddleOptions.defaults().withName("other"), () -> {
          for (int i = 0; i < 60; i++) {
            Heddle.launch("twin-" + i, this::nap);
          }
          nap();
          return null;
        });
        var queue = new SynchronousQueue<String>();
        Heddle.run(() -> {
          Heddle.launch("taker", () -> queue.take());
          Heddle.launch("napper", () -> { IO.println("ready"); nap(); });
        });
      }

      void nap() {
        Heddle.delay(Duration.ofHours(1));
      }
      """;

  private static final String HOLDING =
      """
      import dev.heddle.Heddle;

      void main() {
        Heddle.run(() -> Heddle.launch("burner", this::burn));
      }

      void burn() {
        IO.println("ready");
        for (long n = 1; n != 0; n++) {}
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();

  @AfterEach
  void endThem() throws InterruptedException {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private String pidOf(Outcome.Started child) throws InterruptedException {
    started.add(child);
    child.awaitOutput("ready");
    return Long.toString(child.process().pid());
  }

  /// Started with plain `java`.
  private String java(String source, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(List.of(options));
    command.add(checkout.write("Other.java", source).toString());
    return pidOf(Outcome.start(command, checkout.root(), Map.of(), ""));
  }

  /// Asks until the answer has what it is to have: what a program has begun when it says that it is
  /// ready may take a moment more.
  ///
  /// @return the last answer, for the test to judge
  private Outcome ask(String wanted, String... words) throws Exception {
    Pattern pattern = Pattern.compile(wanted);
    Outcome answer = checkout.heddle(words);
    for (int i = 1; i < TRIES && !pattern.matcher(answer.out()).find(); i++) {
      answer = checkout.heddle(words);
    }
    return answer;
  }

  private static void assertRefused(Outcome outcome, String... why) {
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("heddle: process ").hasLineCount(1).contains(why);
  }

  @Test
  void programUnderTheLauncher_isListedAndDumped() throws Exception {
    checkout.write(
        "Naps.java",
        """
        import dev.heddle.Heddle;
        import java.time.Duration;
        import java.util.concurrent.locks.ReentrantLock;

        void main() {
          var lock = new ReentrantLock();
          lock.lock();
          Heddle.launch("locker", () -> lock.lock());
          Heddle.launch("napper", () -> { IO.println("ready"); nap(); });
          nap();
        }

        void nap() {
          Heddle.delay(Duration.ofHours(1));
        }
        """);
    String pid = pidOf(checkout.start("run", "Naps.java", "secret"));

    String settled = "(?m)^ *%s +heddle +asleep +3 +0 +2 +1 .* Naps.java$".formatted(pid);
    assertThat(ask(settled, "ps", pid).out())
        .containsPattern("(?m)^ *PID +LOOP +STATE +COROUTINES")
        .containsPattern(settled)
        .containsPattern("(?m)^3 +napper +waiting .* Naps.nap\\(Naps.java:14\\) +a timer, due in");
    assertThat(checkout.heddle("dump", pid).out())
        .startsWith("Loop 'heddle', ")
        .contains("coroutine-3 'napper' waits for a timer, due in")
        .contains("  spawned at Naps.main(Naps.java:9)\n  at Naps.nap(Naps.java:14)\n")
        .contains("for ReentrantLock@", ", held by coroutine-1 'main'");
  }

  @Test
  void libraryProgram_isListedAmongAllAndByItself() throws Exception {
    String pid = java(WAITING, LIBRARY);

    String heddle = "(?m)^ *%s +heddle +asleep +2 +0 +1 +1 .*Other.java$".formatted(pid);
    String other = "(?m)^ *%s +other +asleep +61 +0 +61 ".formatted(pid);
    assertThat(ask(heddle, "ps").out()).containsPattern(heddle);
    Outcome all = ask(other, "ps");
    assertThat(all.code()).isZero();
    assertThat(all.out()).containsPattern(heddle).containsPattern(other);

    assertThat(checkout.heddle("ps", pid).out())
        .contains("Loop 'heddle', ", "in SynchronousQueue.take", "Loop 'other', ")
        .contains("... and 11 more; heddle ps --all %s lists them".formatted(pid));
    assertThat(checkout.heddle("ps", "--all", pid).out()).contains("twin-59");
  }

  @Test
  void dumpOfOneLoop_asJson_isWhatProgramsRead() throws Exception {
    String pid = java(WAITING, LIBRARY);

    Outcome json = checkout.heddle("dump", "--json", "--loop", "other", pid);
    assertThat(json.code()).isZero();
    assertThat(json.out())
        .startsWith("{\"pid\":" + pid + ",\"loops\":[{")
        .contains("\"loop\": \"other\"", "\"twin-59\"")
        .doesNotContain("\"loop\": \"heddle\"");
    assertThat(ask("and 54 more, alike", "dump", "--loop", "other", pid).out())
        .containsOnlyOnce("Loop '")
        .contains("'twin-0' waits for a timer", "and 54 more, alike")
        .doesNotContain("'twin-40'");
    assertRefused(
        checkout.heddle("dump", "--loop", "none", pid), "no loop 'none'", "'heddle', 'other'");
  }

  @Test
  void loopThatIsHeld_isDumpedAllTheSame() throws Exception {
    String pid = java(HOLDING, LIBRARY);

    Outcome dump = ask("at Other.burn\\(Other.java:9\\)", "dump", pid);
    assertThat(dump.code()).isZero();
    assertThat(dump.out())
        .contains("coroutine-2 'burner' ", "has held the loop 'heddle' for", "it computes")
        .contains("at Other.burn(Other.java:9)");
    assertThat(checkout.heddle("ps", pid).out())
        .containsPattern("(?m)^ *%s +heddle +held ".formatted(pid))
        .contains("has been held for", "by coroutine-2 'burner'");
  }

  @Test
  void processes_areListedAndDumped_alsoWhereNoLoopRuns() throws Exception {
    String pid =
        java(
            """
            import dev.heddle.process.*;

            void main() throws Exception {
              var runtime = ProcessRuntime.builder().workers(2).host("shop").start();
              for (int i = 0; i < 60; i++) {
                runtime.spawn((events, out) -> {}, StartOptions.defaults().withName("stall-" + i));
              }
              IO.println("ready");
              Thread.currentThread().join();
            }
            """,
            LIBRARY);

    String settled = "(?m)^ *%s +shop +2 +0 +60 +60 .* Other.java$".formatted(pid);
    assertThat(ask(settled, "ps").out()).containsPattern(settled);
    assertThat(checkout.heddle("ps", pid).out())
        .containsPattern("^ *PID +RUNTIME +WORKERS")
        .contains(
            "Runtime 'shop'\nworker 0 asleep, ", "idle, 1 steps, 0 in the mailbox, named stall-")
        .contains("... and 10 more; heddle ps --all %s lists them".formatted(pid));
    assertThat(checkout.heddle("dump", pid).out())
        .startsWith("Runtime 'shop', up for ")
        .contains(": 60 processes on 2 workers, 0 of them awake\n", "  and 57 more, alike\n");
    assertThat(checkout.heddle("dump", "--json", pid).out())
        .startsWith("{\"pid\":" + pid + ",\"loops\":[],\"runtimes\":[{\"runtime\":\"shop\",")
        .contains("stall-59");
  }

  @Test
  void stallWithoutTheOptionalFlag_isReportedAndSaysWhatItCannotName() throws Exception {
    java(
        """
        import dev.heddle.*;
        import java.time.Duration;
        import java.util.concurrent.locks.ReentrantLock;

        void main() {
          var lock = new ReentrantLock();
          var options =
              HeddleOptions.defaults()
                  .withStallLimit(Duration.ofMillis(200))
                  .withReports(report -> {
                    if (report instanceof dev.heddle.observe.StallReport) {
                      IO.println(report.text() + "ready");
                    }
                  });
          Heddle.run(options, () -> {
            lock.lock();
            Heddle.spawn(() -> { lock.lock(); return 0; }).await();
          });
        }
        """,
        LIBRARY);

    assertThat(started.getFirst().read("out"))
        .containsPattern("is parked by the JDK in ReentrantLock.lock \\(")
        .contains(
            "The JDK reports owners of java.util.concurrent locks only with"
                + " --add-opens java.base/java.util.concurrent.locks=ALL-UNNAMED.");
  }

  @Test
  void jvmWithoutLoops_isLeftAlone() throws Exception {
    String pid =
        java(
            "void main() throws Exception { IO.println(\"ready\"); Thread.sleep(3_600_000); }",
            "-Xlog:class+load=info:stderr");

    assertRefused(
        checkout.heddle("dump", pid),
        pid + " is a JVM in which neither loops nor processes of Heddle run");
    assertRefused(checkout.heddle("ps", pid), "neither loops nor processes");
    assertThat(checkout.heddle("ps").out()).doesNotContainPattern("(?m)^ *" + pid + " ");
    assertThat(started.getFirst().read("err"))
        .contains("java.lang.Thread ") // it is the log of classes
        .doesNotContain("jdk.internal.agent.");
    if (Files.exists(Path.of("/proc"))) { // elsewhere its properties are read
      assertThat(started.getFirst().read("err")).doesNotContain("jdk.internal.vm.VMSupport ");
    }
  }

  @Test
  void jvmThatRefusesAttach_saysByWhichFlag() throws Exception {
    String pid =
        java(
            WAITING,
            "-XX:+DisableAttachMechanism",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-cp",
            System.getProperty("heddle.jar"));

    assertRefused(
        checkout.heddle("dump", pid), pid + " refuses to be observed", "DisableAttachMechanism");
    assertRefused(checkout.heddle("ps", pid), "DisableAttachMechanism");
  }

  @Test
  void processThatIsNoJvm_isNotEvenSignalled() throws Exception {
    String pid =
        pidOf(
            Outcome.start(
                List.of("sh", "-c", "trap 'exit 9' QUIT; echo ready; while :; do sleep 1; done"),
                checkout.root(),
                Map.of(),
                ""));

    assertRefused(checkout.heddle("dump", pid), pid + " (", " is no JVM");
    assertThat(started.getFirst().process().isAlive()).isTrue();
  }

  @Test
  void processOfAnotherUser_namesTheUser() throws Exception {
    String self = System.getProperty("user.name");
    assumeTrue(
        !"root".equals(self) || canBecomeAnother(), "cannot start a program of another user");
    String pid =
        "root".equals(self)
            ? pidOf(
                Outcome.start(
                    List.of("setpriv", "--reuid=65534", "sh", "-c", "echo ready; exec sleep 1000"),
                    checkout.root(),
                    Map.of(),
                    ""))
            : Long.toString(processOfAnother(self));
    assertRefused(checkout.heddle("dump", pid), "belongs to '", "only that user", "sudo -u ");
  }

  private static boolean canBecomeAnother() throws Exception {
    Path setpriv = Path.of("/usr/bin/setpriv");
    return Files.isExecutable(setpriv)
        && new ProcessBuilder(setpriv.toString(), "--reuid=65534", "true").start().waitFor() == 0;
  }

  private static long processOfAnother(String self) {
    Optional<ProcessHandle> found =
        ProcessHandle.allProcesses()
            .filter(process -> process.info().user().filter(user -> !user.equals(self)).isPresent())
            .findFirst();
    assumeTrue(
        found.isPresent(), "all processes are " + self + "'s: no other user's to be refused");
    return found.orElseThrow().pid();
  }

  @Test
  void processThatIsNotThere_isAFailureAndNotAWrongUsage() throws Exception {
    Outcome outcome = checkout.heddle("dump", "999999999");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).isEqualTo("heddle: there is no process 999999999\n");
    assertThat(checkout.heddle("ps", "999999999").code()).isEqualTo(1);
    assertThat(checkout.heddle("dump", "x").code()).isEqualTo(2);
    assertThat(checkout.heddle("dump").code()).isEqualTo(2);
  }
}
