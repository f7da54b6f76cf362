// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.suite.TestResult.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a reader is told of one test.
class TestResultTest {
  private static TestResult failed(String method, String text) {
    return new TestResult("core", "reuse-off", "dev.heddle.a.FooTest", method, Kind.FAILED, text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          bar                   | x                            | ./heddle test 'FooTest#bar'
          bar(String, int)[12]  | x                            | ./heddle test 'FooTest#bar'
          bar{int}[1]           | x                            | ./heddle test 'FooTest#bar'
          ^^                    | x                            | ./heddle test 'FooTest'
          dev.heddle.a.FooTest  | x                            | ./heddle test 'FooTest'
          bar                   | [seed 42] expected: 3        | ./heddle test --seed 42 'FooTest#bar'
          bar                   | seed=-7, -Dheddle.seed=-7 it | ./heddle test --seed -7 'FooTest#bar'
          bar                   | seed 3 failed: -Dheddle.test.schedule=0:1,2:1 | ./heddle test --seed 3 --schedule 0:1,2:1 'FooTest#bar'
          bar                   | ./heddle test --seed 3 --schedule '' 'FooTest#bar' | ./heddle test --seed 3 --schedule '' 'FooTest#bar'
          """)
  void command_isTheOneThatRepeatsIt(String method, String text, String command) {
    assertThat(failed(method, text).command(false)).isEqualTo(command);
  }

  @Test
  void command_ofAFullRun_runsSlowTestsToo() {
    assertThat(failed("bar", "x").command(true)).isEqualTo("./heddle test --full 'FooTest#bar'");
  }

  @Test
  void cause_isTheMessage_theTestsFrames_andWhatWasBehind() {
    String trace =
        """
        java.lang.IllegalStateException: outer
        second line
        \tat org.junit.Assert.fail(Assert.java:1)
        \tat dev.heddle@0.1.0-SNAPSHOT/dev.heddle.a.FooTest.help(FooTest.java:7)
        \tat dev.heddle@0.1.0-SNAPSHOT/dev.heddle.a.FooTest.bar(FooTest.java:9)
        \tat java.base/java.lang.Thread.run(Thread.java:1)
        Caused by: java.io.IOException: inner
        \tat java.base/java.io.Reader.read(Reader.java:3)
        \t... 12 more
        """;

    assertThat(failed("bar", trace).cause())
        .containsExactly(
            "java.lang.IllegalStateException: outer",
            "second line",
            "  at dev.heddle.a.FooTest.help(FooTest.java:7)",
            "  at dev.heddle.a.FooTest.bar(FooTest.java:9)",
            "Caused by: java.io.IOException: inner",
            "  at java.io.Reader.read(Reader.java:3)",
            "  ... 12 more");
  }

  @Test
  void cause_ofALongMessage_isCut() {
    assertThat(failed("bar", "line\n".repeat(100)).cause())
        .hasSizeLessThan(20)
        .last()
        .asString()
        .contains("log");
  }

  @Test
  void reason_isOneLineWithoutTheException() {
    var skipped =
        new TestResult(
            "peers",
            "",
            "A",
            "b",
            Kind.SKIPPED,
            "org.opentest4j.TestAbortedException: Assumption failed: no initdb\n"
                + "\tat A.b(A.java:1)");
    assertThat(skipped.reason()).isEqualTo("no initdb");
  }
}
