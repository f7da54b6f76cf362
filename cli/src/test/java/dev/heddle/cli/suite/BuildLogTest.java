// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.suite.BuildLog.Stage;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Lines of recorded runs in, what they say of each module out.
class BuildLogTest {
  private static final SuiteModule CORE = new SuiteModule("core", "heddle-core", "Heddle core");
  private static final SuiteModule CLI = new SuiteModule("cli", "heddle-cli", "Heddle commands");

  private final BuildLog log = new BuildLog(List.of(CORE, CLI));

  private void accept(String lines) {
    lines.lines().forEach(log::accept);
  }

  @Test
  void modulesSideBySide_areToldApart() {
    accept(
        """
        [mvn-builder-heddle-core] [INFO] --- compiler:3.16.0:compile (default-compile) @ heddle-core ---
        [mvn-builder-heddle-cli] [INFO] --- surefire:3.6.1:test (default-test) @ heddle-cli ---
        """);

    assertThat(log.stage(CORE)).isEqualTo(Stage.BUILDING);
    assertThat(log.stage(CLI)).isEqualTo(Stage.TESTING);
  }

  @Test
  void lastGoal_theSecondTime_endsTheModule() {
    String goal = "[t] [INFO] --- enforcer:3.7.0:enforce (tools) @ heddle-core ---";
    log.accept(goal);
    assertThat(log.stage(CORE)).isEqualTo(Stage.BUILDING);
    log.accept(goal);
    assertThat(log.stage(CORE)).isEqualTo(Stage.DONE);
  }

  @Test
  void lineInTheLog_namesItsModule_andATestsLineIsAsItWas() {
    accept("[t] [INFO] --- compiler:3.16.0:compile (default-compile) @ heddle-core ---");

    assertThat(log.accept("[t] [WARNING] x")).isEqualTo("[WARNING] heddle-core: x");
    assertThat(log.accept("[main] [INFO] y")).isEqualTo("[INFO] y");
    assertThat(log.accept("\tat dev.heddle.A.b(A.java:1)"))
        .isEqualTo("\tat dev.heddle.A.b(A.java:1)");
  }

  @Test
  void compileError_isAProblem_withItsLines_andWhatNeedsTheModuleIsNotRun() {
    accept(
        """
        [main] [INFO] Scanning for projects...
        [mvn-builder-heddle-core] [INFO] --- compiler:3.16.0:compile (default-compile) @ heddle-core ---
        [mvn-builder-heddle-core] [ERROR] COMPILATION ERROR :
        [mvn-builder-heddle-core] [ERROR] /p/core/A.java:[3,5] cannot find symbol
        [main] [INFO] Heddle core ........................................ FAILURE [04:26 min]
        [main] [INFO] Heddle commands .................................... SKIPPED
        [main] [ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.16.0:compile (default-compile) on project heddle-core: Compilation failure: Compilation failure:
        [main] [ERROR] /p/core/A.java:[3,5] cannot find symbol
        [main] [ERROR]   symbol: class B
        [main] [ERROR] -> [Help 1]
        [main] [ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
        """);

    assertThat(log.hasStarted()).isTrue();
    assertThat(log.stage(CORE)).isEqualTo(Stage.STOPPED);
    assertThat(log.stage(CLI)).isEqualTo(Stage.NOT_RUN);
    Problem problem = log.problems().getFirst();
    assertThat(problem.what()).isEqualTo("does not compile");
    assertThat(problem.lines())
        .containsOnlyOnce("/p/core/A.java:[3,5] cannot find symbol")
        .contains("  symbol: class B")
        .noneMatch(line -> line.contains("stack trace of the errors"));
  }

  @Test
  void gates_sayHowToMend() {
    accept(
        """
        [a] [INFO] --- fmt:2.29:check (format) @ heddle-core ---
        [a] [ERROR] Non complying file: /p/A.java
        [main] [ERROR] Failed to execute goal com.spotify.fmt:fmt-maven-plugin:2.29:check (format) on project heddle-core: Found 1 non-complying files -> [Help 1]
        [main] [ERROR] Failed to execute goal org.apache.maven.plugins:maven-checkstyle-plugin:3.6.0:check (sizes-and-words) on project heddle-cli: You have 1 Checkstyle violation. -> [Help 2]
        """);

    Problem format = log.problems().getFirst();
    assertThat(format.advice()).isEqualTo("./mvnw -pl config fmt:format");
    assertThat(format.lines()).contains("Non complying file: /p/A.java");
    assertThat(log.problems().getLast().advice()).contains("config/checkstyle.xml");
  }

  @Test
  void dependencyThatCannotBeFetched_saysThatANetworkIsMissing() {
    accept(
        "[main] [ERROR] Failed to execute goal on project heddle-core: Could not resolve"
            + " dependencies -> [Help 1]");

    assertThat(log.problems().getFirst().advice()).contains("network");
  }

  @Test
  void crashedJvm_namesTheClassesItHadBegun() {
    accept(
        """
        [main] [ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.6.1:test (default-test) on project heddle-core:
        [main] [ERROR]
        [main] [ERROR] ExecutionException The forked VM terminated without properly saying goodbye.
        [main] [ERROR] Crashed tests:
        [main] [ERROR] dev.heddle.limits.MillionTest
        [main] [ERROR] -> [Help 1]
        """);

    assertThat(log.problems().getFirst().what()).isEqualTo("its tests were cut off");
    assertThat(log.problems().getFirst().lines()).contains("dev.heddle.limits.MillionTest");
  }
}
