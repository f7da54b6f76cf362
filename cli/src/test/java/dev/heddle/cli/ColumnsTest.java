// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is shown live has a meaning in its how-to page: each column of a table, each figure.
@Tag("once")
class ColumnsTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Path CONSOLE = ROOT.resolve("cli/src/main/console");
  private static final Path TOP = ROOT.resolve("cli/src/main/java/dev/heddle/cli/top/Page.java");

  private static final Pattern TABLES = Pattern.compile("new TextTable\\(\\s*\"([^\"]+)\"");
  private static final Pattern COLUMNS = Pattern.compile("key: \"\\w+\", label: \"([^\"]+)\"");
  private static final Pattern FIGURES = Pattern.compile("\\[\"\\w+\", \"([^\"]+)\", \"");
  private static final Pattern PICTURES = Pattern.compile("[(\"]([\\w./-]+\\.(?:png|svg))[)\"]");
  private static final Pattern MEANING = Pattern.compile("\\| ([^|]+) \\| [^|]*\\w[^|]* \\|");

  /// The modules of the page that have columns, and the sections about what these are part of.
  private static final Map<String, List<String>> SECTIONS =
      Map.of(
          "overview.js", List.of("Overview"),
          "coroutines.js", List.of("Coroutines"),
          "scopes.js", List.of("Coroutines"),
          "processes.js", List.of("Processes"),
          "uses.js", List.of("Coroutines"));

  private static String page(String name) throws IOException {
    return Files.readString(ROOT.resolve("docs/how-to").resolve(name));
  }

  private static String section(String page, String heading) {
    int from = page.indexOf("\n## " + heading + "\n");
    assertThat(from).as(heading).isPositive();
    int to = page.indexOf("\n## ", from + 1);
    return page.substring(from, to < 0 ? page.length() : to);
  }

  /// What is in the first column of a table with a meaning in its second.
  private static Set<String> meanings(String page) {
    return all(MEANING, page)
        .flatMap(names -> Stream.of(names.split(", ")))
        .map(name -> name.replace("`", ""))
        .collect(Collectors.toSet());
  }

  private static Stream<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group(1));
  }

  /// A page named three pictures that the tree did not have.
  @Test
  void pictureThatAPageNames_isThere() throws Exception {
    List<Path> named = new ArrayList<>();
    try (Stream<Path> pages = Files.walk(ROOT.resolve("docs"))) {
      for (Path page : pages.filter(each -> each.toString().endsWith(".md")).toList()) {
        all(PICTURES, Files.readString(page)).map(page::resolveSibling).forEach(named::add);
      }
    }
    assertThat(named).hasSizeGreaterThan(9).allSatisfy(each -> assertThat(each).isRegularFile());
  }

  @Test
  void columnOfTop_hasAMeaningInItsHowTo() throws Exception {
    String source = Files.readString(TOP);
    List<String> tables = all(TABLES, source).toList();
    assertThat(tables).hasSize(source.split("new TextTable").length - 1).hasSizeGreaterThan(9);
    assertThat(meanings(page("watch-a-program.md")))
        .containsAll(tables.stream().flatMap(table -> Stream.of(table.split("\\|"))).toList());
  }

  @Test
  void columnAndFigureOfTheConsole_hasAMeaningInTheSectionOfItsView() throws Exception {
    String page = page("see-programs-in-a-browser.md");
    try (Stream<Path> modules = Files.list(CONSOLE)) {
      for (Path module : modules.filter(each -> each.toString().endsWith(".js")).toList()) {
        String name = module.getFileName().toString();
        String source = Files.readString(module);
        List<String> columns = all(COLUMNS, source).toList();
        assertThat(columns).as(name).hasSize(source.split("width: \"").length - 1);
        List<String> figures =
            name.equals("overview.js") ? all(FIGURES, source).toList() : List.of();
        assertThat(SECTIONS.containsKey(name))
            .as(name)
            .isEqualTo(columns.size() + figures.size() > 0);
        for (String section : SECTIONS.getOrDefault(name, List.of())) {
          assertThat(meanings(section(page, section)))
              .as("%s of %s", section, name)
              .containsAll(columns)
              .containsAll(figures);
        }
      }
    }
  }
}
