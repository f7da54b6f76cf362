// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The tutorial's tests fail as the page says, fail again with the options that the page says, and
/// pass when the code is mended as the page says; with the JVM options of the page's build. By
/// default with a tenth of the page's seeds, among which are the first that fail.
///
/// `-Dtutorial.update=true` writes what the tests say into the page.
@Tag("agent")
@Timeout(600)
class SimulationTutorialTest {
  private static final Path PAGE =
      PageJvm.root().resolve("docs/tutorial/find-bugs-by-simulation.md");
  private static final Pattern SOURCE = Pattern.compile("(?s)```java\n(package shop;.*?)```");
  private static final Pattern SAID = Pattern.compile("(?s)```text\n(.*?)```");
  private static final Pattern CLASS = Pattern.compile("(?m)^(?:final )?class (\\w+)");
  private static final Pattern REPLAY = Pattern.compile("replay with (-D\\S+) (-D\\S+)");
  private static final Pattern ARGUMENTS = Pattern.compile("<argLine>(.*?)</argLine>");

  // frames of what runs the test, which the page leaves out
  private static final Pattern NOISE =
      Pattern.compile(
          "(?m)(^ *(at org\\.junit|(?:spawned )?at dev\\.heddle|at"
              + " java\\.lang\\.reflect)\\..*\\n)+");
  private static final Pattern JDK_LINE = Pattern.compile("(?<=at java\\.)(\\S+\\.java):\\d+");

  @TempDir private Path folder = Path.of("");

  /// A test class, and what became of it.
  private record Outcome(String name, int tests, int failures, String first) {
    String said() {
      String text = NOISE.matcher(first + "\n").replaceAll("  ...\n");
      return JDK_LINE.matcher(text).replaceAll("$1");
    }
  }

  @Test
  @Tag("sim-4")
  void tests_failAndAreReplayedAndMended_asThePageSays() throws Exception {
    assertPage(100);
  }

  @Test
  @Tag("sim-4")
  @Tag("full")
  void tests_withAllSeeds_failAndAreReplayedAndMended_asThePageSays() throws Exception {
    assertPage(1_000);
  }

  private void assertPage(int seeds) throws Exception {
    String page = withSeeds(Files.readString(PAGE), seeds);
    List<Outcome> found = runAll(classes(page, (first, _) -> first, "faulty"));
    if (Boolean.getBoolean("tutorial.update")) {
      Files.writeString(PAGE, with(Files.readString(PAGE), found));
    }
    assertThat(found).hasSize(3).allMatch(outcome -> outcome.tests >= seeds);
    assertThat(found)
        .extracting(Outcome::said)
        .isEqualTo(matches(SAID, Files.readString(PAGE)).stream().map(m -> m.group(1)).toList());
    for (Outcome outcome : found) {
      assertReplays(outcome);
    }
    List<Outcome> mended = runAll(classes(page, (_, last) -> last, "mended"));
    assertThat(mended).extracting(Outcome::first).containsOnly("");
    assertThat(mended).allMatch(outcome -> outcome.tests >= seeds);
  }

  @Test
  @Tag("sim-8")
  void test_thatAttachesTheAgent_failsAsThePageSays_withoutOptionsOfTheJvm() throws Exception {
    String page = withSeeds(Files.readString(PAGE), 100).replace("100)", "100, agent = true)");
    Path classes = classes(page, (first, _) -> first, "attached");
    Outcome outcome = start(List.of(), classes, List.of("shop.ReportsTest")).getFirst();
    assertThat(matches(SAID, page).getLast().group(1)).isEqualTo(outcome.said());
  }

  private void assertReplays(Outcome outcome) throws Exception {
    Matcher options = REPLAY.matcher(outcome.first);
    assertThat(options.find()).as(outcome.first).isTrue();
    Path classes = folder.resolve("faulty");
    Outcome again =
        run(classes, List.of(outcome.name), List.of(options.group(1), options.group(2))).getFirst();
    assertThat(again.tests).isLessThanOrEqualTo(4); // the warm-up, and the seed, repeated
    assertThat(withoutShrinking(again.said())).isEqualTo(withoutShrinking(outcome.said()));
  }

  private static String withoutShrinking(String said) {
    return said.replaceAll(" \\([\\d,]+ before [\\d,]+ runs? that shrank them\\)", "")
        .replaceAll("^seed (\\d+), run \\d+", "seed $1");
  }

  private static String withSeeds(String page, int seeds) {
    assertThat(page).contains("seeds = 1_000)");
    return page.replace("seeds = 1_000)", "seeds = " + seeds + ")");
  }

  private static String with(String page, List<Outcome> outcomes) {
    List<Outcome> left = new ArrayList<>(outcomes);
    return SAID.matcher(page)
        .replaceAll(_ -> Matcher.quoteReplacement("```text\n" + left.removeFirst().said() + "```"));
  }

  // ---- the sources of the page ----

  /// @param version which of two texts of a class counts
  private Path classes(String page, BinaryOperator<String> version, String name)
      throws IOException {
    Map<String, String> sources = new LinkedHashMap<>();
    for (MatchResult shown : matches(SOURCE, page)) {
      Matcher type = CLASS.matcher(shown.group(1));
      assertThat(type.find()).isTrue();
      sources.merge(type.group(1), shown.group(1), version);
    }
    Path classes = folder.resolve(name);
    List<Path> files = new ArrayList<>();
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = Files.createDirectories(classes).resolve(source.getKey() + ".java");
      files.add(Files.writeString(file, source.getValue()));
    }
    PageJvm.compile(files, classes);
    return classes;
  }

  private static List<MatchResult> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().toList();
  }

  // ---- JVMs ----

  private static List<Outcome> runAll(Path classes) throws Exception {
    return run(
        classes, List.of("shop.StockTest", "shop.QuotesTest", "shop.ReportsTest"), List.of());
  }

  private static List<Outcome> run(Path classes, List<String> tests, List<String> options)
      throws Exception {
    List<String> all = new ArrayList<>(argumentsOfThePage());
    all.addAll(options);
    return start(all, classes, tests);
  }

  private static List<Outcome> start(List<String> options, Path classes, List<String> tests)
      throws Exception {
    String output = PageJvm.run(options, classes, FirstFailures.class.getName(), tests);
    return matches(Pattern.compile("(?m)^(shop\\.\\w+)\t(\\d+)\t(\\d+)$"), output).stream()
        .map(result -> outcome(result, output))
        .toList();
  }

  private static List<String> argumentsOfThePage() throws IOException {
    MatchResult given = matches(ARGUMENTS, Files.readString(PAGE)).getFirst();
    String agent = "-javaagent:${dev.heddle:heddle-world:jar}";
    return List.of(given.group(1).replace(agent, PageJvm.agent()).split(" "));
  }

  private static Outcome outcome(MatchResult result, String output) {
    String first =
        output
            .substring(result.end() + 1)
            .lines()
            .takeWhile(line -> !line.startsWith("shop."))
            .collect(Collectors.joining("\n"))
            .strip();
    return new Outcome(
        result.group(1),
        Integer.parseInt(result.group(2)),
        Integer.parseInt(result.group(3)),
        first);
  }
}
