// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The essays of classes name the tests that hold their invariants, in brackets. Those exist.
class EssaysTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  private static final Pattern ESSAY = Pattern.compile("(?s)/\\*\\n(.*?)\\*/");
  private static final Pattern BRACKETS = Pattern.compile("\\[([^\\]]*)]");
  private static final Pattern TEST = Pattern.compile("\\b[A-Z]\\w*(?:Test|Stress|Program)\\b");

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !isBuilt(ROOT.relativize(file)))
          .toList();
    }
  }

  private static boolean isBuilt(Path file) {
    String path = "/" + file.toString().replace('\\', '/');
    return path.contains("/target/") || path.contains("/.heddle/");
  }

  private static String typeOf(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  /// The tests that the essays of a file name.
  private static List<String> namedIn(Path file) throws IOException {
    return matches(ESSAY, Files.readString(file), 1)
        .flatMap(essay -> matches(BRACKETS, essay, 1))
        .flatMap(brackets -> matches(TEST, brackets, 0))
        .toList();
  }

  private static Stream<String> matches(Pattern pattern, String text, int group) {
    return pattern.matcher(text).results().map(found -> found.group(group));
  }

  @Test
  void essay_each_namesTestsThatExist() throws IOException {
    List<Path> sources = sources();
    Set<String> types = sources.stream().map(EssaysTest::typeOf).collect(Collectors.toSet());
    List<String> complaints = new ArrayList<>();
    int named = 0;
    for (Path file : sources) {
      for (String test : namedIn(file)) {
        named++;
        if (!types.contains(test)) {
          complaints.add(ROOT.relativize(file) + " names " + test);
        }
      }
    }
    assertThat(named).isPositive();
    assertThat(complaints).as("tests that no file has").isEmpty();
  }
}
