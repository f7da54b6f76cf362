// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import static dev.heddle.cli.suite.ReportsTest.passed;
import static dev.heddle.cli.suite.ReportsTest.report;
import static dev.heddle.cli.suite.ReportsTest.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is made of a run: words, count, exit code. A script plays Maven: it says what a recorded
/// run said, and writes reports.
class SuiteRunTest {
  private static final String STARTED = "echo '[main] [INFO] Scanning for projects...'\n";
  private static final String FAILURE =
      with(
          "wrong",
          "<failure message=\"m\"><![CDATA[X: m\n\tat a.FooTest.wrong(A.java:1)]]>" + "</failure>");

  @TempDir private Path root = Path.of("");
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<List<String>> calls = new ArrayList<>();

  @BeforeEach
  void project() throws IOException {
    Files.writeString(
        root.resolve("pom.xml"),
        "<project><modules><module>core</module><module>cli</module></modules></project>");
    for (String module : List.of("core", "cli")) {
      Files.createDirectories(root.resolve(module + "/src/test"));
      Files.writeString(
          root.resolve(module + "/pom.xml"),
          ("<project><parent><artifactId>p</artifactId></parent><artifactId>heddle-%s</artifactId>"
                  + "<name>Heddle %s</name></project>")
              .formatted(module, module));
    }
  }

  /// Plays Maven: shell text for each call.
  private int run(SuitePlan plan, String... scripts) throws Exception {
    Function<List<String>, ProcessBuilder> maven =
        arguments -> {
          calls.add(arguments);
          return new ProcessBuilder("sh", "-c", scripts[calls.size() - 1]).directory(root.toFile());
        };
    var print = new PrintWriter(out, true);
    return new SuiteRun(plan, maven, ProgressBoard.plain(print), print, new PrintWriter(err, true))
        .run();
  }

  private SuitePlan whole() {
    return new SuitePlan(root, root.resolve("state"), "", "", "", null, false);
  }

  private SuitePlan named(String name) {
    return new SuitePlan(root, root.resolve("state"), name, "", "", null, false);
  }

  private static String writes(String folder, String... cases) {
    return "mkdir -p %1$s && cat >%1$s/TEST-a.FooTest.xml <<'END'\n%2$s\nEND\n"
        .formatted(folder, report(cases));
  }

  private String lastLine() {
    return out.toString().strip().lines().toList().getLast();
  }

  @Test
  void allPassed_exits0_andTheLastLineIsTheCount() throws Exception {
    String script =
        STARTED
            + writes("core/target/surefire-reports", passed("a"), passed("b"))
            + writes("core/target/surefire-reports-reuse-off", passed("a"))
            + writes("cli/target/failsafe-reports", with("s", "<skipped message=\"no nc\"/>"));

    assertThat(run(whole(), script)).isZero();
    assertThat(lastLine()).isEqualTo("3 passed, 0 failed, 1 skipped");
    assertThat(out.toString())
        .contains("skipped 1 (FooTest): no nc")
        .contains("core counts each way it runs its tests: default 2, reuse-off 1")
        .contains(root.resolve("state/test.log").toString());
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void failure_exits1_thoughMavenWasToldToIgnoreIt_withCauseAndCommand() throws Exception {
    String script = STARTED + writes("core/target/surefire-reports", passed("a"), FAILURE);

    assertThat(run(whole(), script)).isEqualTo(1);
    assertThat(calls.getFirst())
        .contains("clean", "--fail-at-end", "-Dmaven.test.failure.ignore=true");
    assertThat(out.toString())
        .contains("FAILED core: FooTest#wrong", "X: m", "at a.FooTest.wrong(A.java:1)")
        .contains("again: ./heddle test 'FooTest#wrong'");
    assertThat(lastLine()).isEqualTo("1 passed, 1 failed, 0 skipped");
  }

  @Test
  void failures_standAtTheEnd_afterTheManyLinesOfWhatWasSkipped() throws Exception {
    String skipped = with("s", "<skipped message=\"no nc\"/>");

    run(whole(), STARTED + writes("core/target/surefire-reports", FAILURE, skipped));

    assertThat(out.toString())
        .containsSubsequence(
            "skipped 1 (FooTest): no nc", "FAILED core: FooTest#wrong", "0 passed, 1 failed");
  }

  @Test
  void reportOfAnEarlierRun_isNotCounted() throws Exception {
    run(whole(), STARTED + writes("core/target/surefire-reports", passed("a"), FAILURE));
    calls.clear();

    assertThat(run(whole(), STARTED + writes("cli/target/surefire-reports", passed("a")))).isZero();
    assertThat(lastLine()).isEqualTo("1 passed, 0 failed, 0 skipped");
  }

  @Test
  void seedAndSchedule_reachRandomTestsAndSimulations() throws Exception {
    var plan = new SuitePlan(root, root.resolve("state"), "FooTest#a", "", "3", "0:1,2:1", false);

    run(plan, STARTED);
    assertThat(calls.getFirst())
        .contains("-Dheddle.seed=3", "-Dheddle.test.seed=3", "-Dheddle.test.schedule=0:1,2:1");
  }

  @Test
  void noTestRan_isAFailure() throws Exception {
    assertThat(run(named("NoSuchTest"), STARTED)).isEqualTo(1);
    assertThat(err.toString()).contains("no test named NoSuchTest ran: is the name right?");
    assertThat(lastLine()).isEqualTo("0 passed, 0 failed, 0 skipped");
  }

  @Test
  void selectedTests_showTheirModulesOnly() throws Exception {
    String script =
        STARTED
            + "echo '[main] [INFO] Heddle core ..... SUCCESS [1 s]'\n"
            + "echo '[main] [INFO] Heddle cli ...... SUCCESS [1 s]'\n"
            + writes("state/test/heddle-core/surefire-reports", passed("a"));

    assertThat(run(named("FooTest"), script)).isZero();
    assertThat(out.toString())
        .startsWith("heddle test: FooTest, without the gates\n  core      ok ")
        .doesNotContain("  cli ");
  }

  @Test
  void moduleWithTests_ofWhichNoneRan_isAFailure() throws Exception {
    Path sources = Files.createDirectories(root.resolve("core/src/test/java"));
    Files.writeString(sources.resolve("ATest.java"), "");
    String script =
        STARTED
            + "echo '[main] [INFO] Heddle core ..... SUCCESS [1 s]'\n"
            + writes("cli/target/surefire-reports", passed("a"));

    assertThat(run(whole(), script)).isEqualTo(1);
    assertThat(err.toString()).contains("core has tests, and none of them has run");
  }

  @Test
  void onlySkippedTests_areAFailure() throws Exception {
    String script =
        STARTED
            + writes(
                "state/test/heddle-core/surefire-reports", with("s", "<skipped message=\"x\"/>"));

    assertThat(run(named("FooTest"), script)).isEqualTo(1);
    assertThat(err.toString()).contains("all were skipped");
  }

  @Test
  void mavenThatCannotStart_showsTheEndOfTheLog() throws Exception {
    assertThat(run(whole(), "echo cannot fetch the distribution; exit 1")).isEqualTo(1);
    assertThat(err.toString()).contains("Maven could not start", "cannot fetch the distribution");
  }

  @Test
  void mavenFails_withoutAFailedTest_isAFailure() throws Exception {
    assertThat(
            run(whole(), STARTED + writes("cli/target/surefire-reports", passed("a")) + "exit 1"))
        .isEqualTo(1);
  }

  @Test
  void moduleThatIsStopped_leavesTheOthersTests_toASecondPassWithoutGates() throws Exception {
    String first =
        STARTED
            + "echo '[t] [INFO] --- compiler:3.16.0:compile (default-compile) @ heddle-core ---'\n"
            + "echo '[t] [ERROR] A.java:[1,1] [NullAway] no'\n"
            + "echo '[main] [INFO] Heddle core ..... FAILURE [1 s]'\n"
            + "echo '[main] [INFO] Heddle cli ...... SKIPPED'\n"
            + "echo '[main] [ERROR] Failed to execute goal"
            + " org.apache.maven.plugins:maven-compiler-plugin:3.16.0:compile (default-compile) on"
            + " project heddle-core: Compilation failure -> [Help 1]'\nexit 1";
    String second =
        STARTED
            + writes("state/test/heddle-core/surefire-reports", passed("a"))
            + writes("state/test/heddle-cli/surefire-reports", passed("b"));

    assertThat(run(whole(), first, second)).isEqualTo(1);
    assertThat(calls.getLast()).contains("-Dgates=off", "-pl", "cli,core", "-am");
    assertThat(out.toString())
        .contains("STOPPED core: does not compile", "[NullAway] no", "to do:");
    assertThat(lastLine()).isEqualTo("2 passed, 0 failed, 0 skipped");
  }

  @Test
  void moduleThatWasTested_andThenStopped_isOnlyBuiltInTheSecondPass() throws Exception {
    String first =
        STARTED
            + writes("core/target/surefire-reports", passed("a"))
            + "echo '[main] [INFO] Heddle core ..... FAILURE [1 s]'\n"
            + "echo '[main] [INFO] Heddle cli ...... SKIPPED'\nexit 1";
    String second = STARTED + writes("state/test/heddle-cli/surefire-reports", passed("b"));

    assertThat(run(whole(), first, second)).isEqualTo(1);
    assertThat(calls.getLast()).contains("-pl", "cli", "-Dtests.skip.core=true");
    assertThat(lastLine()).isEqualTo("2 passed, 0 failed, 0 skipped");
  }

  @Test
  void tracesOnPurpose_stayInTheLog() throws Exception {
    String script =
        STARTED
            + "echo 'java.lang.Error: on purpose'\n"
            + writes("cli/target/surefire-reports", passed("a"));

    assertThat(run(whole(), script)).isZero();
    assertThat(out.toString()).doesNotContain("java.lang.Error");
    assertThat(Files.readString(root.resolve("state/test.log"))).contains("on purpose");
  }

  @Test
  void terminal_drawsABar_andErasesIt() throws Exception {
    var progressBoard = ProgressBoard.onTerminal(new PrintWriter(out), 80);
    var running =
        new ModuleLine("core", BuildLog.Stage.TESTING, 5, 1, 0, 10, 20, Duration.ofSeconds(83));
    progressBoard.show(List.of(running), Duration.ZERO);
    assertThat(out.toString())
        .isEqualTo("  core      testing   1:23  [##########..........] 5 passed, 1 failed\n");

    progressBoard.end(List.of(running));
    assertThat(out.toString())
        .contains("\033[A\033[2K")
        .endsWith("cut off   1:23  5 passed, 1 failed\n");
  }
}
