// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.doctor.Recipe;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
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
        "run --nonsense A.java",
        "run",
        "doctor nonsense",
        "doctor --lines nonsense",
        "ps x",
        "dump",
        "dump 1 2",
        "dump --nonsense 1",
        "test --seed x",
        "test A B",
        "soak nonsense",
        "soak --minutes 0",
        "soak processes --minutes 0"
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
        "doctor --help",
        "test --help",
        "bench --help",
        "soak --help"
      })
  void help_ofEveryCommand_isPrinted(String words) {
    assertThat(line.execute(words.split(" "))).isZero();
    assertThat(out.toString()).startsWith("Usage: heddle");
  }

  @ParameterizedTest
  @EnumSource(Recipe.class)
  void doctorLines_ofOneRecipe_areThatRecipeOnly(Recipe recipe) {
    assertThat(line.execute("doctor", "--lines", recipe.id())).isZero();
    assertThat(out.toString()).isEqualTo(recipe.lines());
  }
}
