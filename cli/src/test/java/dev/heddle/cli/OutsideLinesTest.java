// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.doctor.Recipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The projects of `examples/outside` are built from exactly the lines that `doctor` prints.
class OutsideLinesTest {
  private static final Path OUTSIDE =
      Path.of(System.getProperty("heddle.root"), "examples/outside");

  @ParameterizedTest
  @CsvSource({
    "MAVEN_SUREFIRE, maven/pom.xml",
    "MAVEN_EXEC, maven/pom.xml",
    "GRADLE, gradle/build.gradle.kts",
    "COMMAND, plain/run",
    "MANIFEST, jar/MANIFEST.MF",
    "CONTAINER, container/Dockerfile"
  })
  void project_containsTheLines_asDoctorPrintsThem(Recipe recipe, String file) throws IOException {
    assertThat(flat(Files.readString(OUTSIDE.resolve(file)))).contains(flat(recipe.lines()));
  }

  /// Without the indentation, which depends on where lines are pasted.
  private static String flat(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining("\n"));
  }
}
