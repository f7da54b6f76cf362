// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.Findings.Finding;
import dev.heddle.simulated.kinds.BugKinds;
import dev.heddle.simulated.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The kinds of bugs: each is found from each of 25 starts, in at most 1,000 runs, and in as many
/// as the page about simulation says.
///
/// `-Dkinds.update=true` writes the rows of the page anew.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BugKindsTest {
  private static final int STARTS = 25;
  private static final List<Search> SEARCHES = List.of(Search.WALK, Search.PCT_3, Search.STALLS);
  private static final Path PAGE =
      Path.of(System.getProperty("heddle.root", "../.."), "docs/explanation/simulation.md");

  /// Starts are this far apart, so that no two share a seed.
  private static final long APART = 1_000_003;

  static Stream<Program> kinds() {
    return BugKinds.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void kind_isFoundFromEachStart_asThePageSays(Program program) throws IOException {
    String row =
        SEARCHES.stream()
            .map(search -> cell(program, search))
            .collect(Collectors.joining(" | ", "| " + program.name() + " | ", " |"));
    if (Boolean.getBoolean("kinds.update")) {
      String old = Pattern.quote("| " + program.name() + " |") + ".*";
      Files.writeString(PAGE, Files.readString(PAGE).replaceFirst(old, row));
    }
    assertThat(Files.readAllLines(PAGE)).contains(row);
  }

  private static String cell(Program program, Search search) {
    if (program == BugKinds.EXPIRED_ENTRY && search != Search.STALLS) {
      return "–"; // not from each start; looking for that takes a minute
    }
    List<Finding> findings =
        IntStream.rangeClosed(1, STARTS)
            .mapToObj(start -> Findings.explore(program, search, start * APART, 1_000))
            .toList();
    assertThat(findings).allMatch(Finding::isBug);
    List<Integer> runs = findings.stream().map(Finding::runs).sorted().toList();
    return runs.get(STARTS / 2) + " / " + runs.getLast();
  }
}
