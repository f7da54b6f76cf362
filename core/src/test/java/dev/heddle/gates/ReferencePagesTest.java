// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The pages that one looks things up in name everything that the code has.
@Tag("once")
class ReferencePagesTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  /// The public API of all modules that users program against.
  private static String api() throws IOException {
    return Files.readString(ROOT.resolve("api/dev.heddle.txt"))
        + Files.readString(ROOT.resolve("api/dev.heddle.process.txt"));
  }

  private static String page(String name) throws IOException {
    return Files.readString(ROOT.resolve("docs/reference").resolve(name));
  }

  private static String sources(String... folders) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String folder : folders) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          all.append(Files.readString(file)).append('\n');
        }
      }
    }
    return all.toString();
  }

  private static Set<String> found(String pattern, String in) {
    Set<String> found = new TreeSet<>();
    Pattern.compile(pattern).matcher(in).results().forEach(m -> found.add(m.group(1)));
    assertThat(found).as(pattern).isNotEmpty();
    return found;
  }

  @Test
  void errors_nameEveryTypeThatIsThrown() throws IOException {
    String errors = page("errors.md");
    assertThat(
            found(
                "(?m)^  (?:final )?class (\\w+ extends java\\.lang\\.\\w*(?:Exception|Error))",
                api()))
        .allSatisfy(thrown -> {
          String[] words = thrown.split(" extends java.lang.");
          assertThat(errors).contains("\n| `%s` | `%s` |".formatted(words[0], words[1]));
        });
  }

  @Test
  void errors_haveEveryMessageThatIsLogged() throws IOException {
    String logged =
        "(?:\\breport\\(|\\bunused\\(|\\buntaken\\(|Level\\.(?:WARNING|ERROR),\\s+"
            + "|(?:\\blog(?:\\(\\))?|shared\\(\\))\\s*\\.(?:error|warning|besideTheLog|call)\\()"
            + "[^\";]*\"([^\"]+?) ?\"";
    String errors = page("errors.md");
    assertThat(found(logged, sources("core/src/main", "process/src/main")))
        .allSatisfy(message -> assertThat(errors.contains(message.strip())).as(message).isTrue());
  }

  @Test
  void options_haveEachOfHeddleOptions() throws IOException {
    String options = page("options.md");
    String api = Files.readString(ROOT.resolve("api/dev.heddle.txt"));
    assertThat(found("HeddleOptions with(\\w+)\\(", api))
        .map(name -> name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1))
        .contains("holdLimit")
        .allSatisfy(name -> assertThat(options).contains("\n| `%s` |".formatted(name)));
  }

  @Test
  void options_haveEachOfRuntimes_startsAndSupervisors() throws IOException {
    String options = page("options.md");
    String api = Files.readString(ROOT.resolve("api/dev.heddle.process.txt"));
    String builders =
        "(?m)^    (?:<[^(]*> )?dev\\.heddle\\.process\\.[\\w.]*Builder" + " (?!child\\b)(\\w+)\\(";
    assertThat(found(builders, api))
        .contains("workers", "intensity", "members")
        .allSatisfy(name -> assertThat(options).contains("\n| `%s` |".formatted(name)));
    assertThat(found("StartOptions (with\\w+|linked|monitored)\\(", api))
        .allSatisfy(name -> assertThat(options).contains("\n| `%s` |".formatted(name)));
  }

  @Test
  void options_haveEveryProperty() throws IOException {
    String options = page("options.md");
    assertThat(
            found(
                "\"(heddle\\.[a-z]+)\"",
                sources("core/src/main", "process/src/main", "cli/src/main")))
        .allSatisfy(name -> assertThat(options).contains("\n| `%s` |".formatted(name)));
  }

  @Test
  void options_haveEveryVariableOfTheLauncher() throws IOException {
    String options = page("options.md");
    String launcher = Files.readString(ROOT.resolve("heddle"));
    assertThat(found("(?m)^#   (HEDDLE_\\w+)", launcher))
        .allSatisfy(name -> assertThat(options).contains("\n| `%s` |".formatted(name)));
  }

  @Test
  void glossary_hasEachTermOnceInOrder() throws IOException {
    List<String> terms =
        List.copyOf(
            Pattern.compile("(?m)^\\| \\*\\*([^*,]+)")
                .matcher(page("glossary.md"))
                .results()
                .map(m -> m.group(1))
                .toList());
    assertThat(terms).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.naturalOrder());
  }

  @Test
  void glossary_eachTermOfOurs_hasAMeaningAndAReason() throws IOException {
    String ours = page("glossary.md").split("\n## ", -1)[1];
    assertThat(ours.lines().filter(line -> line.startsWith("| **")))
        .isNotEmpty()
        .allMatch(line -> line.matches("\\| \\*\\*[^|]+\\| [^|]{20,} \\| [^|]{20,} \\|"));
  }
}
