// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The programs of `tests/simulators` fail under Heddle as the page about simulation says, beside
/// what other tools find: a hundred seeds find what it says is found, and nothing else; the full
/// run compares the numbers.
///
/// `-Dtutorial.update=true` writes the rows anew, in the full run.
@Tag("agent")
@Timeout(600)
class SimulatorsTest {
  private static final Path PAGE = PageJvm.root().resolve("docs/explanation/simulation.md");
  private static final Pattern COUNT = Pattern.compile("(?m)^\\w+: (\\d+) of \\d+ seeds fail");
  private static final int PROGRAMS = 6;
  private static final int FEW = 100;
  private static final int ALL = 1_000;

  @TempDir private static Path folder = Path.of("");

  /// A row of the page: its title, the kind of programs, the options of the agent.
  enum Row {
    COROUTINES("Heddle: coroutines, without the agent", "coroutines", "-ea"),
    THREADS("Heddle: threads, with the agent", "threads", PageJvm.agent()),
    POINTS(
        "Heddle: threads, with `points=memory`",
        "threads",
        PageJvm.agent() + "=points=memory,packages=simulators");

    private final String title;
    private final String kind;
    private final String option; // of the JVM

    Row(String title, String kind, String option) {
      this.title = title;
      this.kind = kind;
      this.option = option;
    }

    private String text(List<String> counts) {
      return "| **" + title + "** | " + String.join(" | ", counts) + " |";
    }

    private List<String> onThePage() throws IOException {
      String begin = text(List.of()).replace("  |", "");
      String row =
          Files.readAllLines(PAGE).stream().filter(l -> l.startsWith(begin)).findFirst().orElse("");
      return Stream.of(row.split("\\|")).skip(2).map(String::strip).toList();
    }
  }

  @BeforeAll
  static void compile() throws IOException {
    List<Path> sources = new ArrayList<>(sources("main"));
    sources.addAll(sources("heddle"));
    PageJvm.compile(sources, folder);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("sim-1")
  void programs_thatThePageSaysFail_failWithFewSeeds_andNoOthersDo(Row row) throws Exception {
    List<String> found = counts(row, FEW).stream().map(SimulatorsTest::withoutNumber).toList();
    assertThat(found)
        .isEqualTo(row.onThePage().stream().map(SimulatorsTest::withoutNumber).toList());
  }

  private static String withoutNumber(String count) {
    return count.replaceAll("\\d+", "found");
  }

  @ParameterizedTest
  @EnumSource
  @Tag("sim-1")
  @Tag("full")
  void programs_failForAsManySeeds_asThePageSays(Row row) throws Exception {
    List<String> found = counts(row, ALL);
    if (Boolean.getBoolean("tutorial.update")) {
      String old = row.text(row.onThePage());
      Files.writeString(PAGE, Files.readString(PAGE).replace(old, row.text(found)));
    }
    assertThat(found).isEqualTo(row.onThePage());
  }

  private static List<String> counts(Row row, int seeds) throws Exception {
    List<String> flags = List.of(row.option, "--add-opens", "java.base/java.lang=ALL-UNNAMED");
    List<String> arguments = List.of(row.kind, String.valueOf(seeds));
    String output = PageJvm.run(flags, folder, "simulators.HeddleBugs", arguments);
    List<String> counts =
        COUNT
            .matcher(output)
            .results()
            .map(count -> count.group(1).equals("0") ? "–" : count.group(1))
            .collect(Collectors.toCollection(ArrayList::new));
    while (counts.size() < PROGRAMS) {
      counts.add("n/a");
    }
    return counts;
  }

  private static List<Path> sources(String kind) throws IOException {
    Path sources = PageJvm.root().resolve("tests/simulators/jvm/src/" + kind + "/java/simulators");
    try (Stream<Path> files = Files.list(sources)) {
      return files.toList();
    }
  }
}
