// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `heddle test` as a process: on a tiny project with this project's parent, built by the Maven
/// that runs this test, and without a network; and when a signal comes.
class SuiteIT {
  private static final long GUARD_SECONDS = 1_200; // of a build on a busy machine

  private static final Path PROJECT = Path.of(System.getProperty("heddle.root"));

  @TempDir private Path root = Path.of("");

  /// A project with some modules under our parent, whose gates are off.
  private void project(String... modules) throws IOException {
    String pom = Files.readString(PROJECT.resolve("pom.xml"));
    String list = "<module>" + String.join("</module><module>", modules) + "</module>";
    write(
        "pom.xml",
        pom.replaceFirst("(?s)<modules>.*</modules>", "<modules>" + list + "</modules>"));
    write(".mvn/jvm.config", Files.readString(PROJECT.resolve(".mvn/jvm.config")));
    Path maven = Path.of(System.getProperty("maven.home"), "bin", "mvn");
    write(
        "maven",
        "#!/bin/sh\nexec '%s' -o -Dgates=none -Dmaven.repo.local='%s' \"$@\"\n"
            .formatted(maven, System.getProperty("maven.repository")));
  }

  private void module(String name, String needs, String test) throws IOException {
    String type = name.toUpperCase(Locale.ROOT);
    String dependency =
        needs.isEmpty()
            ? ""
            : ("<dependency><groupId>dev.heddle</groupId><artifactId>tiny-%s</artifactId>"
                    + "<version>${project.version}</version></dependency>")
                .formatted(needs);
    write(
        name + "/pom.xml",
        """
        <project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
        <parent><groupId>dev.heddle</groupId><artifactId>heddle-parent</artifactId>
        <version>0.1.0-SNAPSHOT</version></parent><artifactId>tiny-%1$s</artifactId>
        <properties><skipTests>${tests.skip.%1$s}</skipTests></properties>
        <dependencies>%2$s<dependency><groupId>org.junit.jupiter</groupId>
        <artifactId>junit-jupiter</artifactId><scope>test</scope></dependency></dependencies>
        </project>
        """
            .formatted(name, dependency));
    write(
        name + "/src/main/java/" + name + "/Thing.java",
        "package " + name + "; public class Thing {}");
    write(
        "%s/src/test/java/%s/%sTest.java".formatted(name, name, type),
        "package %s; import org.junit.jupiter.api.*; class %sTest { %s }"
            .formatted(name, type, test));
  }

  private Path write(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private Outcome.Started start(String... arguments) throws IOException {
    assertThat(root.resolve("maven").toFile().setExecutable(true)).isTrue();
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command =
        Stream.of(
                Stream.of(java, "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("heddle.jar")),
                Stream.of("dev.heddle.cli.HeddleCommand", "test"),
                Stream.of(arguments))
            .flatMap(words -> words)
            .toList();
    Map<String, String> environment =
        Map.of("HEDDLE_HOME", root.toString(), "HEDDLE_MVN", root.resolve("maven").toString());
    return Outcome.start(command, root, environment, "");
  }

  private Outcome heddleTest(String... arguments) throws IOException, InterruptedException {
    return Outcome.of(start(arguments), GUARD_SECONDS);
  }

  private static List<String> lines(Outcome outcome) {
    return outcome.out().strip().lines().toList();
  }

  @Test
  void everyModuleRuns_alsoAfterOneFailedOneCrashedAndOneDoesNotCompile() throws Exception {
    project("core", "netty", "peers", "bench");
    module("core", "", "@Test void crash() { Runtime.getRuntime().halt(7); }");
    module("netty", "core", "@Test void fine() { new core.Thing(); }");
    module(
        "peers",
        "",
        """
        @Test void wrong() { System.out.println("chatter"); Assertions.fail("seed 77"); }
        @Test void needs() { Assumptions.abort("no loom is installed"); }
        @Test void fine() {}
        """);
    module("bench", "", "@Test void none() { does not compile }");

    Outcome outcome = heddleTest();

    assertThat(outcome.code()).as(outcome.toString()).isEqualTo(1);
    assertThat(lines(outcome).getLast()).isEqualTo("2 passed, 1 failed, 1 skipped");
    assertThat(outcome.out())
        .contains("FAILED peers: PEERSTest#wrong", "at peers.PEERSTest.wrong(PEERSTest.java:1)")
        .contains("again: ./heddle test --seed 77 'PEERSTest#wrong'")
        .contains("STOPPED core: its tests were cut off", "core.CORETest")
        .contains("STOPPED bench: does not compile", "BENCHTest.java")
        .contains("skipped 1 (PEERSTest): no loom is installed")
        .doesNotContain("chatter");
    assertThat(Files.readString(root.resolve(".heddle/test.log"))).contains("chatter");
  }

  @Test
  void command_thatAFailureNames_repeatsThatTestAlone() throws Exception {
    project("peers");
    module("peers", "", "@Test void right() {} @Test void wrong() { Assertions.fail(); }");

    Outcome one = heddleTest("PEERSTest#wrong");
    assertThat(lines(one).getLast()).as(one.toString()).isEqualTo("0 passed, 1 failed, 0 skipped");
    Outcome none = heddleTest("PEERSTest#nothing");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("no test named PEERSTest#nothing ran");
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void signal_endsMavenAndWhatItStarted_andSaysWhatWasFound(String signal, int code)
      throws Exception {
    project("peers");
    module("peers", "", "");
    // a Maven that has reported one test, and waits for a JVM of tests
    write(
        "maven",
        """
        #!/bin/sh
        echo '[main] [INFO] Scanning for projects...'
        mkdir -p peers/target/surefire-reports
        cat >peers/target/surefire-reports/TEST-a.xml <<'END'
        <testsuite><testcase name="b" classname="a"/></testsuite>
        END
        sleep 1000 &
        echo $! >child.next && mv child.next child
        wait
        """);

    Outcome.Started run = start();
    Path file = root.resolve("child");
    while (!Files.exists(file)) {
      assertThat(run.process().waitFor(10, TimeUnit.MILLISECONDS)).as(run.read("err")).isFalse();
    }
    long child = Long.parseLong(Files.readString(file).strip());
    new ProcessBuilder("sh", "-c", "kill -" + signal + " " + run.process().pid()).start().waitFor();
    Outcome outcome = Outcome.of(run);

    assertThat(outcome.code()).isEqualTo(code);
    assertThat(outcome.out()).contains("stopped by a signal");
    assertThat(lines(outcome).getLast()).isEqualTo("1 passed, 0 failed, 0 skipped");
    assertThat(ProcessHandle.of(child).filter(Outcome::isRunning)).isEmpty();
  }
}
