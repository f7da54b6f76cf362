// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.suite.TestResult.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Surefire's files in, tests out.
class ReportsTest {
  private static final SuiteModule CORE = new SuiteModule("core", "heddle-core", "Heddle core");

  @TempDir private Path target = Path.of("");

  private Reports reports() {
    return new Reports(List.of(CORE), _ -> target);
  }

  private Path write(String folder, String text) throws IOException {
    Path file = Files.createDirectories(target.resolve(folder)).resolve("TEST-a.FooTest.xml");
    return Files.writeString(file, text);
  }

  static String report(String... cases) {
    return "<?xml version=\"1.0\"?><testsuite name=\"a.FooTest\"><properties><property name=\"a\""
        + " value=\"&lt;testcase&gt;\"/></properties>"
        + String.join("", cases)
        + "</testsuite>";
  }

  static String passed(String name) {
    return "<testcase name=\"" + name + "\" classname=\"a.FooTest\" time=\"0.1\"/>";
  }

  static String with(String name, String element) {
    return "<testcase name=\"" + name + "\" classname=\"a.FooTest\">" + element + "</testcase>";
  }

  @Test
  void eachWayOfRunning_countsOnce() throws IOException {
    write("surefire-reports", report(passed("x"), passed("y")));
    write("surefire-reports-reuse-off", report(passed("x")));
    write("failsafe-reports", report(passed("z")));
    write("classes", report(passed("no report folder")));
    Reports reports = reports();

    reports.update();
    reports.update();

    assertThat(reports.of(CORE))
        .extracting(TestResult::method)
        .containsExactlyInAnyOrder("x", "y", "x", "z");
    assertThat(reports.of(CORE)).extracting(TestResult::mode).contains("reuse-off");
  }

  @Test
  void failureErrorAndSkip_areToldApart_outputIsLeftOut() throws IOException {
    write(
        "surefire-reports",
        report(
            with("f", "<failure message=\"m\" type=\"T\"><![CDATA[T: m\n\tat a.b]]></failure>"),
            with("e", "<error message=\"only this\" type=\"T\"/>"),
            with("s", "<skipped message=\"no nc\"/>"),
            with("o", "<system-out>failure</system-out><system-err/>")));
    Reports reports = reports();

    reports.update();

    assertThat(reports.of(CORE))
        .extracting(TestResult::kind)
        .containsExactly(Kind.FAILED, Kind.FAILED, Kind.SKIPPED, Kind.PASSED);
    assertThat(reports.of(CORE))
        .extracting(TestResult::text)
        .containsExactly("T: m\n\tat a.b", "only this", "no nc", "");
  }

  @Test
  void reportThatIsStillBeingWritten_isReadLater() throws IOException {
    Reports reports = reports();
    write("surefire-reports", report(passed("x")).substring(0, 140));
    reports.update();
    assertThat(reports.all()).isEmpty();
    assertThat(reports.unreadable()).hasSize(1);

    write("surefire-reports", report(passed("x")));
    reports.update();
    assertThat(reports.all()).hasSize(1);
    assertThat(reports.unreadable()).isEmpty();
  }

  @Test
  void reportsOfAnEarlierRun_areRemoved() throws IOException {
    Path old = write("surefire-reports-reuse-off", report(passed("x")));
    reports().clear();
    assertThat(old).doesNotExist();
  }

  @Test
  void moduleThatHasNotBuiltYet_hasNone() throws IOException {
    Reports reports = new Reports(List.of(CORE), _ -> target.resolve("none"));
    reports.clear();
    reports.update();
    assertThat(reports.all()).isEmpty();
  }
}
