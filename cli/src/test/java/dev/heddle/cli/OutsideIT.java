// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.doctor.Recipe;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The projects of `examples/outside`, each built and run by the tools its users have.
@Tag("full")
class OutsideIT {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Path OUTSIDE = ROOT.resolve("examples/outside");
  private static final Map<String, String> JDK =
      Map.of("JAVA_HOME", System.getProperty("java.home"));

  @TempDir static Path work;
  private static Path core;

  @BeforeAll
  static void installCore() throws Exception {
    var arguments =
        List.of(
            "-Dgates=off",
            "-Dmaven.test.skip=true",
            "-Dquick.root=" + work.resolve("build"),
            "-pl",
            ".,core",
            "install");
    maven(ROOT.resolve("pom.xml"), arguments);
    core = work.resolve("m2/dev/heddle/heddle-core/0.1.0-SNAPSHOT/heddle-core-0.1.0-SNAPSHOT.jar");
    assertThat(core).exists();
  }

  @Test
  void mavenProject_testsPass_onPlatformAndVirtualThreads() throws Exception {
    Outcome outcome = maven(OUTSIDE.resolve("maven/pom.xml"), List.of(out("surefire"), "verify"));

    assertThat(outcome.out()).contains("Tests run: 2, Failures: 0, Errors: 0, Skipped: 0");
  }

  @Test
  void mavenProject_programRuns() throws Exception {
    Outcome outcome =
        maven(OUTSIDE.resolve("maven/pom.xml"), List.of(out("exec"), "compile", "exec:exec"));

    assertThat(outcome.out()).contains("outside 42");
  }

  @Test
  void gradleProject_testsPass_andItsProgramRuns() throws Exception {
    // Maven Central has no Gradle; where it is missing its lines are still compared, by
    // OutsideLinesTest.
    Assumptions.assumeTrue(isOnPath("gradle"), "gradle is not installed");
    Path copy = work.resolve("outside");
    new ProcessBuilder("cp", "-R", OUTSIDE.toString(), copy.toString()).start().waitFor();
    Outcome outcome =
        Outcome.of(
            List.of(
                "gradle",
                "--no-daemon",
                "-Pheddle.repository=" + work.resolve("m2"),
                "test",
                "run"),
            copy.resolve("gradle"),
            JDK,
            "");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("outside 42");
  }

  @Test
  void plainCommand_runs() throws Exception {
    assertThat(script("plain", Files.createDirectories(work.resolve("plain"))))
        .isEqualTo("outside 42\n");
  }

  @Test
  void executableJar_runsWithoutAFlag() throws Exception {
    assertThat(script("jar", Files.createDirectories(work.resolve("jar/classes")).getParent()))
        .isEqualTo("outside 42\n");
  }

  @Test
  void containersVariable_opensTheHook() throws Exception {
    Path classes = Files.createDirectories(work.resolve("plain"));
    script("plain", classes);
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    String value =
        Recipe.CONTAINER.lines().replaceFirst("(?s)^ENV JDK_JAVA_OPTIONS=\"(.*)\"\n$", "$1");
    List<String> command = List.of(java, "-cp", core + File.pathSeparator + classes, "Main");

    assertThat(Outcome.of(command, work, Map.of("JDK_JAVA_OPTIONS", value), "").out())
        .isEqualTo("outside 42\n");
  }

  @Test
  void withoutTheFlag_theMessageContainsIt() throws Exception {
    Path classes = Files.createDirectories(work.resolve("plain"));
    script("plain", classes);
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    List<String> command = List.of(java, "-cp", core + File.pathSeparator + classes, "Main");
    Outcome outcome = Outcome.of(command, work, Map.of(), "");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).contains("--add-opens java.base/java.lang=ALL-UNNAMED");
  }

  private static String script(String project, Path build) throws Exception {
    List<String> command =
        List.of(
            OUTSIDE.resolve(project).resolve("run").toString(), core.toString(), build.toString());
    Outcome outcome = Outcome.of(command, work, JDK, "");
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.out();
  }

  private static String out(String name) {
    return "-Dout=" + work.resolve(name);
  }

  /// A repository of its own before the user's, so that nothing of this build stays behind.
  private static Outcome maven(Path pom, List<String> arguments) throws Exception {
    var command =
        new ArrayList<>(
            List.of(ROOT.resolve("mvnw").toString(), "-B", "-ntp", "-f", pom.toString()));
    command.add("-Dmaven.repo.local=" + work.resolve("m2"));
    command.add(
        "-Dmaven.repo.local.tail=" + Path.of(System.getProperty("user.home"), ".m2/repository"));
    command.addAll(arguments);
    Outcome outcome = Outcome.of(command, ROOT, JDK, "");
    assertThat(outcome.code()).as(outcome.out()).isZero();
    return outcome;
  }

  private static boolean isOnPath(String tool) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
  }
}
