// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Pages and essays fit their columns, and what they refer to exists.
@Tag("once")
class ProseTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final int PAGE = 120; // columns
  private static final int ESSAY = 100; // columns

  private static final Pattern ESSAYS = Pattern.compile("(?s)/\\*\\n(.*?)\\*/");
  private static final Pattern TARGET = Pattern.compile("\\]\\([^)]*\\)");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  private static final Pattern PROMISE =
      Pattern.compile(
          "\\b(?:loop|proc|trap|timer)-\\d+\\b|(?<![\\w.$-])[TWP]\\d+(?:\\.\\d+)*\\b(?!\\w)");
  private static final Pattern COMMENTS = Pattern.compile("(?s)/\\*.*?\\*/|(?-s)//.*|@Tag\\(.*\\)");
  private static final Pattern DECISION =
      Pattern.compile("(?:\\b[Dd]ecisions? |decisions/)(\\d{4})\\b");

  /// Documents that are not in the repository.
  private static final Pattern ELSEWHERE =
      Pattern.compile("\\b(?:DESIGN|REACTOR|REFERENCE|PERFORMANCE|STYLE)(?:\\.md)? (?:\\d|facts?)");

  /// Numbers that do not say of what.
  private static final Pattern BARE =
      Pattern.compile("\\b(?:[Cc]ases?|[Tt]raps?|[Ff]acts?|[Bb]ehaviours?) \\d+");

  private static final class Found extends TreeMap<String, List<String>> {
    private static final long serialVersionUID = 1L;

    void add(Path file, String what) {
      computeIfAbsent(KnownProse.relative(file), _ -> new ArrayList<>()).add(what);
    }
  }

  // ---- columns ----

  @Test
  void page_each_fits120Columns() throws IOException {
    Found found = new Found();
    for (Path page : KnownProse.files(".md")) {
      List<String> lines = Files.readAllLines(page);
      if (isGenerated(lines)) {
        continue;
      }
      boolean code = false;
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i);
        code ^= line.startsWith("```");
        if (!code && !line.startsWith("|") && width(line) > PAGE) {
          found.add(page, "line " + (i + 1) + " is longer than " + PAGE + " columns");
        }
      }
    }
    KnownProse.check("page-width", found);
  }

  private static boolean isGenerated(List<String> lines) {
    return !lines.isEmpty() && lines.getFirst().startsWith("<!-- Generated");
  }

  /// Without the targets of links, which cannot be broken.
  private static int width(String line) {
    return TARGET.matcher(line).replaceAll("]").length();
  }

  @Test
  void essay_each_fits100Columns() throws IOException {
    Found found = new Found();
    for (Path file : KnownProse.files(".java")) {
      long wide =
          results(ESSAYS, Files.readString(file))
              .flatMap(essay -> essay.group(1).lines())
              .filter(line -> line.length() > ESSAY)
              .count();
      if (wide > 0) {
        found.add(file, wide + " lines of its essay are longer than " + ESSAY + " columns");
      }
    }
    KnownProse.check("essay-width", found);
  }

  // ---- references ----

  @Test
  void ids_ofPromisesAndDecisions_exist() throws IOException {
    Set<String> promises =
        Files.readAllLines(ROOT.resolve("docs/explanation/promises.txt")).stream()
            .map(line -> line.split("\t", -1)[0])
            .collect(Collectors.toSet());
    Set<String> decisions = decisions();
    Found found = new Found();
    for (Path file : KnownProse.files(".java", ".md", ".mutant", ".txt")) {
      String text = Files.readString(file);
      boolean code = file.toString().endsWith(".java");
      unknownPromises(code ? comments(text) : text, promises)
          .forEach(id -> found.add(file, "there is no promise " + id));
      results(DECISION, text)
          .map(id -> id.group(1))
          .filter(id -> !decisions.contains(id))
          .forEach(id -> found.add(file, "there is no decision " + id));
    }
    KnownProse.check("unknown-id", found);
  }

  private static List<String> unknownPromises(String text, Set<String> promises) {
    return results(PROMISE, text)
        .map(MatchResult::group)
        .filter(id -> !promises.contains(id))
        .distinct()
        .toList();
  }

  /// The comments of a source, and the tags of its tests.
  private static String comments(String source) {
    return results(COMMENTS, source).map(MatchResult::group).collect(Collectors.joining("\n"));
  }

  @Test
  void id_thatNoPromiseHas_isFound_whereverItStands() {
    Set<String> promises = Set.of("T13.1", "P7", "loop-1", "proc-10");
    String wrong = "T13; see P7, T13.2 (proc-11), `W9` and P8.";
    assertThat(unknownPromises(wrong, promises))
        .containsExactly("T13", "T13.2", "proc-11", "W9", "P8");
    assertThat(unknownPromises("P7; T13.1. loop-1 to proc-10, a.T5, HTTP1, X-T2", promises))
        .isEmpty();
    assertThat(comments("int n; // P1\n/* P2 */ @Tag(\"P3\") /// P4")).doesNotContain("int");
  }

  private static Set<String> decisions() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/explanation/decisions"))) {
      return files
          .map(file -> file.getFileName().toString().split("-", 2)[0])
          .collect(Collectors.toSet());
    }
  }

  @Test
  void reference_each_isToThisRepository() throws IOException {
    Found found = new Found();
    for (Path file : KnownProse.files(".java", ".md")) {
      if (file.endsWith("CHANGELOG.md")) {
        continue; // what was, stays as it was said
      }
      for (String line : Files.readAllLines(file)) {
        results(ELSEWHERE, line)
            .forEach(m -> found.add(file, "'" + m.group() + "' is not in the repository"));
        results(BARE, file.toString().endsWith(".md") ? line : comment(line))
            .forEach(m ->
                found.add(file, "'" + m.group() + "': cite the id of a promise, such as loop-153"));
      }
    }
    KnownProse.check("outside-reference", found);
  }

  private static String comment(String line) {
    String text = line.strip();
    int at = text.indexOf("//");
    return text.startsWith("*") ? text : at < 0 ? "" : text.substring(at);
  }

  @Test
  void link_each_leadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : KnownProse.files(".md")) {
      for (String target : linksOf(page)) {
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        boolean there =
            Files.exists(file) && (parts.length == 1 || headings(file).contains(parts[1]));
        if (!there) {
          broken.add(KnownProse.relative(page) + " -> " + target);
        }
      }
    }
    assertThat(broken).as("links that lead nowhere").isEmpty();
  }

  private static List<String> linksOf(Path page) throws IOException {
    List<String> found = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(page)) {
      code ^= line.startsWith("```");
      if (!code) {
        results(LINK, line.replaceAll("`[^`]*`", ""))
            .map(link -> link.group(1))
            .filter(target -> !target.contains("://"))
            .forEach(found::add);
      }
    }
    return found;
  }

  /// The anchors of a page, as GitHub makes them.
  private static Set<String> headings(Path file) throws IOException {
    Set<String> anchors = new HashSet<>();
    results(HEADING, Files.readString(file))
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
        .forEach(anchors::add);
    return anchors;
  }

  private static Stream<MatchResult> results(Pattern pattern, String text) {
    return pattern.matcher(text).results();
  }
}
