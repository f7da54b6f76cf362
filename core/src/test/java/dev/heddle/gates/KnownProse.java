// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The files that still break a rule of [ProseTest], in `config/prose-exceptions.txt`: lines of a
/// rule, a space and a path. The list only shrinks: an entry whose file keeps the rule fails the
/// test, and `-Dprose.update=true` removes it.
final class KnownProse {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Path LIST = ROOT.resolve("config/prose-exceptions.txt");

  private KnownProse() {}

  /// The sources and pages of the project, without what is built.
  static List<Path> files(String... endings) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files.filter(file -> isOurs(file, endings)).sorted().toList();
    }
  }

  private static boolean isOurs(Path file, String... endings) {
    String path = "/" + relative(file);
    return Stream.of(endings).anyMatch(path::endsWith)
        && !path.contains("/target/")
        && !path.contains("/.")
        && Files.isRegularFile(file);
  }

  static String relative(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }

  /// Compares what breaks a rule with what the list allows.
  ///
  /// @param found by path, what is wrong in the file
  static void check(String rule, Map<String, List<String>> found) throws IOException {
    List<String> lines = Files.readAllLines(LIST);
    Set<String> listed = new TreeSet<>();
    lines.stream()
        .filter(line -> line.startsWith(rule + " "))
        .forEach(line -> listed.add(line.substring(rule.length() + 1)));

    Set<String> settled = new TreeSet<>(listed);
    settled.removeAll(found.keySet());
    if (Boolean.getBoolean("prose.update")) {
      List<String> left = new ArrayList<>(lines);
      left.removeIf(line -> settled.stream().anyMatch(path -> line.equals(rule + " " + path)));
      Files.write(LIST, left);
      settled.clear();
    }

    List<String> complaints = new ArrayList<>();
    found.forEach((path, wrong) -> {
      if (!listed.contains(path)) {
        wrong.forEach(what -> complaints.add(path + ": " + what));
      }
    });
    assertThat(complaints).as("files that break the rule '" + rule + "'").isEmpty();
    assertThat(settled)
        .as(
            "files that keep the rule '"
                + rule
                + "' by now: delete their lines in config/prose-exceptions.txt, or run this test"
                + " with -Dprose.update=true")
        .isEmpty();
  }
}
