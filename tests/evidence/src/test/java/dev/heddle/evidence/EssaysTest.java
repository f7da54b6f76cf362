// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// Comments and pages name the tests and mutants that hold what they say. Those exist: the class,
/// the method behind a `#`, and what follows `mutant:`, a file or a class nested in a stress test.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EssaysTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  private static final Pattern COMMENT =
      Pattern.compile("(?s)/\\*.*?\\*/|(?-s)(?:^ *//.*\\n)+|//.*", Pattern.MULTILINE);
  private static final Pattern CONTINUED = Pattern.compile("\\s*\\n\\s*(?:\\*(?!/)|///?)?\\s*");
  private static final Pattern TEST =
      Pattern.compile(
          "\\b([A-Z]\\w*[a-z0-9](?:Test|Stress|Program|Scenario|IT))\\b(?:#(\\w+\\*?))?");
  private static final Pattern MUTANTS =
      Pattern.compile("\\b[Mm]utants?: ((?:[\\w.-]+(?:, (?:and )?| and )?)+)");
  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|record|enum) (\\w+)");
  private static final Pattern METHOD = Pattern.compile("\\b(\\w+)\\s*\\(");

  /// Pages that name tests of other projects, or of the reader's.
  private static final Set<String> OF_OTHERS =
      Set.of("docs/explanation/others-tests.md", "docs/tutorial/find-bugs-by-simulation.md");

  private final Set<String> types = new HashSet<>();
  private final Map<String, Set<String>> methods = new HashMap<>(); // by the type of the file
  private final Set<String> mutants = new HashSet<>();

  private static List<Path> files(String... endings) throws IOException {
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

  private static String relative(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }

  private static String nameOf(Path file) {
    return file.getFileName().toString().replaceFirst("\\.\\w+$", "");
  }

  @BeforeAll
  void readWhatThereIs() throws IOException {
    for (Path file : files(".java")) {
      String source = Files.readString(file);
      types.add(nameOf(file));
      results(DECLARED, source).forEach(found -> types.add(found.group(1)));
      Set<String> here = methods.computeIfAbsent(nameOf(file), _ -> new HashSet<>());
      results(METHOD, source).forEach(found -> here.add(found.group(1)));
    }
    files(".mutant").forEach(file -> mutants.add(nameOf(file)));
  }

  private static Stream<MatchResult> results(Pattern pattern, String text) {
    return pattern.matcher(text).results();
  }

  /// What a file says in words, each comment on one line.
  private static String prose(Path file) throws IOException {
    String text = Files.readString(file);
    return file.toString().endsWith(".md") ? text : comments(text);
  }

  private static String comments(String source) {
    return results(COMMENT, source)
        .map(comment -> CONTINUED.matcher(comment.group()).replaceAll(" "))
        .collect(Collectors.joining("\n"));
  }

  /// The names in a text that no test and no mutant has.
  private List<String> unknown(String text) {
    Stream<String> tests =
        results(TEST, text)
            .filter(test -> !isTest(test.group(1), test.group(2)))
            .map(MatchResult::group);
    Stream<String> faults =
        results(MUTANTS, text)
            .flatMap(list -> Stream.of(list.group(1).split(",? and |, ")))
            .map(name -> name.replaceFirst("\\.$", ""))
            .filter(name -> name.contains("-") || Character.isUpperCase(name.charAt(0)))
            .filter(name -> !isMutant(name))
            .map(name -> "the mutant " + name);
    return Stream.concat(tests, faults).toList();
  }

  private boolean isTest(String type, String method) {
    Set<String> there = methods.getOrDefault(type, Set.of());
    return types.contains(type)
        && (method == null
            || there.contains(method)
            || method.endsWith("*")
                && there.stream().anyMatch(name -> name.startsWith(method.replace("*", ""))));
  }

  private boolean isMutant(String name) {
    return name.contains("-")
        ? mutants.contains(name)
        : Stream.of(name.split("\\.")).allMatch(types::contains);
  }

  @Test
  void testsAndMutants_thatCommentsAndPagesName_exist() throws IOException {
    List<String> complaints = new ArrayList<>();
    for (Path file : files(".java", ".md")) {
      if (!OF_OTHERS.contains(relative(file)) && !nameOf(file).equals("EssaysTest")) {
        unknown(prose(file)).forEach(name -> complaints.add(relative(file) + " names " + name));
      }
    }
    assertThat(complaints).as("tests and mutants that there are not").isEmpty();
  }

  @Test
  void name_thatNothingHas_isFound() {
    assertThat(
            unknown(
                "[NoSuchStress, InboxStress] EssaysTest#nothing, no NoSuchScenario; mutants:"
                    + " no-such-mutant, mutex-barging, InboxStress.Nothing and Nowhere."))
        .containsExactly(
            "NoSuchStress",
            "EssaysTest#nothing",
            "NoSuchScenario",
            "the mutant no-such-mutant",
            "the mutant InboxStress.Nothing",
            "the mutant Nowhere");
    assertThat(
            unknown(
                "[InboxStress; mutant: mutex-barging] Mutants: InboxStress.ReadOnlyClaim,"
                    + " PlainClearPosted. EssaysTest#name_thatNothingHas_isFound, MSG_DONTWAIT"))
        .isEmpty();
  }

  @Test
  void comment_overSeveralLines_isReadAsOne() {
    assertThat(comments("int a; // one\n  /*\n   * Mutant:\n   * A.B. */\n  // x\n  // y\n"))
        .contains("one", "Mutant: A.B.", "x // y".replace("// ", ""));
  }
}
