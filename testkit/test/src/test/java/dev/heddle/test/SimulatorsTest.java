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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The programs of `tests/simulators` fail under Heddle for as many seeds as the page about
/// simulation says, beside what other tools find.
///
/// `-Dtutorial.update=true` writes the rows anew.
@Tag("agent")
@Timeout(600)
class SimulatorsTest {
  private static final Pattern COUNT = Pattern.compile("(?m)^\\w+: (\\d+) of 1000 seeds fail");
  private static final int PROGRAMS = 6;

  @TempDir private Path folder = Path.of("");

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "'Heddle: coroutines, without the agent', coroutines, ",
    "'Heddle: threads, with the agent', threads, ''",
    "'Heddle: threads, with `points=memory`', threads, '=points=memory,packages=simulators'",
  })
  @Tag("sim-1")
  void programs_failForAsManySeeds_asThePageSays(String row, String kind, String options)
      throws Exception {
    Path page = PageJvm.root().resolve("docs/explanation/simulation.md");
    String found = "| **" + row + "** | " + String.join(" | ", counts(kind, options)) + " |";
    if (Boolean.getBoolean("tutorial.update")) {
      String old = Pattern.quote("| **" + row + "** |") + ".*";
      Files.writeString(page, Files.readString(page).replaceFirst(old, found));
    }
    assertThat(Files.readAllLines(page)).contains(found);
  }

  private List<String> counts(String kind, String options) throws Exception {
    List<Path> sources = new ArrayList<>(sources("main"));
    sources.addAll(sources("heddle"));
    PageJvm.compile(sources, folder);
    List<String> jvm =
        options == null
            ? List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED")
            : List.of(PageJvm.agent() + options);
    String output = PageJvm.run(jvm, folder, "simulators.HeddleBugs", List.of(kind));
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
