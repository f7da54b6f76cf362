// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Each public type of each exported package shows its use: by a snippet, which the tests compile
/// and run, or in `process` by a block of Java, which `JavadocExamplesTest` compiles.
///
/// An example stands in the documentation of the type or of its members; that of a nested type may
/// stand at the type around it. Types that are used together may show the same snippet.
@Tag("once")
class SnippetGateTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  /// The modules whose blocks of Java `JavadocExamplesTest` compiles.
  private static final List<String> COMPILED_BLOCKS = List.of("process");

  private static final Pattern EXPORTS = Pattern.compile("(?m)^ *exports ([\\w.]+);");
  private static final Pattern PUBLIC = Pattern.compile("(?m)^public ");

  private static final Pattern SNIPPET =
      Pattern.compile("\\{@snippet class=(?<class>[\\w.]+) region=(?<region>\\w+)}");

  private static final Pattern ANY_SNIPPET = Pattern.compile("\\{@snippet");
  private static final Pattern BLOCK = Pattern.compile("(?m)^ */// ```java$");

  @Test
  void publicTypes_ofExportedPackages_showTheirUse() throws IOException {
    List<String> without = new ArrayList<>();
    int types = 0;
    for (Path module : modules()) {
      boolean takesBlocks = COMPILED_BLOCKS.contains(module.getFileName().toString());
      for (Path file : exportedFiles(module)) {
        String text = Files.readString(file);
        if (!PUBLIC.matcher(text).find()) {
          continue;
        }
        types++;
        if (!hasExample(text, takesBlocks)) {
          without.add(ROOT.relativize(file).toString());
        }
      }
    }
    assertThat(types).isGreaterThan(200);
    assertThat(without)
        .as(
            "public types without an example: add {@snippet class=... region=...}, with the region"
                + " in a test whose name ends in SnippetsTest")
        .isEmpty();
  }

  /// Javadoc would see it too, but it runs for the core only.
  @Test
  void snippets_ofAllModules_areThere() throws IOException {
    List<String> gone = new ArrayList<>();
    for (Path module : modules()) {
      for (Path file : sources(module)) {
        collectGone(module, file, gone);
      }
    }
    assertThat(gone)
        .as("snippets whose class or region is not there, or whose region begins more than once")
        .isEmpty();
  }

  private static List<Path> sources(Path module) throws IOException {
    try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
      return files.filter(f -> f.toString().endsWith(".java")).toList();
    }
  }

  private static void collectGone(Path module, Path file, List<String> gone) throws IOException {
    String text = Files.readString(file);
    List<MatchResult> snippets = SNIPPET.matcher(text).results().toList();
    if (snippets.size() != ANY_SNIPPET.matcher(text).results().count()) {
      gone.add(ROOT.relativize(file) + ": a snippet that is not class=... region=...");
    }
    for (MatchResult snippet : snippets) {
      if (!hasRegion(module, snippet.group("class"), snippet.group("region"))) {
        gone.add(ROOT.relativize(file) + ": " + snippet.group());
      }
    }
  }

  private static boolean hasRegion(Path module, String type, String region) throws IOException {
    Path test = module.resolve("src/test/java").resolve(type.replace('.', '/') + ".java");
    return Files.exists(test)
        && Pattern.compile("(?m)// @start region=" + region + "$")
                .matcher(Files.readString(test))
                .results()
                .count()
            == 1; // of several parts javadoc shows the last one only
  }

  @Test
  void typeWithoutAnExample_isFound() {
    assertThat(hasExample("/// A door.\npublic class Door {}", true)).isFalse();
    assertThat(hasExample("/// ```text\n/// ```\npublic class Door {}", true)).isFalse();
    assertThat(hasExample("/// ```java\n/// ```\npublic class Door {}", true)).isTrue();
    assertThat(hasExample("/// ```java\n/// ```\npublic class Door {}", false)).isFalse();
    assertThat(hasExample("/// {@snippet class=a.B region=c}\npublic class Door {}", false))
        .isTrue();
  }

  private static boolean hasExample(String text, boolean takesBlocks) {
    return SNIPPET.matcher(text).find() || (takesBlocks && BLOCK.matcher(text).find());
  }

  private static List<Path> modules() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path around : List.of(ROOT, ROOT.resolve("testkit"))) {
      try (Stream<Path> folders = Files.list(around)) {
        folders
            .filter(folder -> Files.exists(folder.resolve("src/main/java/module-info.java")))
            .sorted()
            .forEach(found::add);
      }
    }
    return found;
  }

  private static List<Path> exportedFiles(Path module) throws IOException {
    Path sources = module.resolve("src/main/java");
    List<Path> found = new ArrayList<>();
    String info = Files.readString(sources.resolve("module-info.java"));
    for (MatchResult export : EXPORTS.matcher(info).results().toList()) {
      try (Stream<Path> files = Files.list(sources.resolve(export.group(1).replace('.', '/')))) {
        files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(found::add);
      }
    }
    return found;
  }
}
