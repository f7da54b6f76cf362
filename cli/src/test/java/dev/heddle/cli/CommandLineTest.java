// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.doctor.Recipe;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// What needs no process: words in, exit code and words out.
class CommandLineTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine line =
      HeddleCommand.commandLine()
          .setOut(new PrintWriter(out, true))
          .setErr(new PrintWriter(err, true));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        "help nonsense",
        "run --nonsense A.java",
        "run",
        "doctor nonsense",
        "doctor --lines nonsense",
        "ps x",
        "dump",
        "dump 1 2",
        "dump --nonsense 1",
        "top 1 2",
        "top --interval x 1",
        "test --seed x",
        "test A B",
        "soak nonsense",
        "soak --minutes 0",
        "soak processes --minutes 0",
        "soak processes --driver nio",
        "soak processes --workers 2",
        "soak loop --seed 1",
        "soak worlds --workers 0",
        "soak worlds --seed x",
        "soak cluster --driver nio",
        "soak cluster --workers 2",
        "soak worlds --detection",
        "soak cluster --detection --seed 1"
      })
  void wrongUsage_exits2_withTheUsage(String words) {
    assertThat(line.execute(words.split(" "))).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).startsWith("heddle: ").contains("Usage");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "run --help",
        "ps --help",
        "dump --help",
        "top --help",
        "cluster --help",
        "cluster status --help",
        "doctor --help",
        "test --help",
        "bench --help",
        "soak --help",
        "help",
        "help run",
        "help ps",
        "help dump",
        "help doctor",
        "help test",
        "help bench",
        "help soak",
        "help help"
      })
  void help_ofEveryCommand_isPrinted(String words) {
    assertThat(line.execute(words.split(" "))).isZero();
    assertThat(out.toString()).contains("Usage: heddle");
  }

  @ParameterizedTest
  @CsvSource({
    "run A.java, '', A.java",
    "run -cp x:y -J-Xmx1g A.java -cp z, x:y, A.java -cp z",
    "run - a, '', - a"
  })
  void run_ofAFile_needsNoParser(String words, String classPath, String rest) {
    assertThat(ProgramRun.plain(List.of(words.split(" ")), new PrintWriter(err)))
        .satisfies(run -> assertThat(run.classPath()).isEqualTo(classPath))
        .satisfies(run -> assertThat(String.join(" ", run.words())).isEqualTo(rest));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "run --help",
        "run -J",
        "run -cp",
        "run --class-path=x A.java",
        "run -- A.java",
        "ps"
      })
  void anythingElse_isForTheParser(String words) {
    assertThat(ProgramRun.plain(List.of(words.split(" ")), new PrintWriter(err))).isNull();
  }

  @ParameterizedTest
  @EnumSource(Recipe.class)
  void doctorLines_ofOneRecipe_areThatRecipeOnly(Recipe recipe) {
    assertThat(line.execute("doctor", "--lines", recipe.id())).isZero();
    assertThat(out.toString()).isEqualTo(recipe.lines());
  }
}
