// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.Findings.Finding;
import dev.heddle.simulated.kinds.BugKinds;
import dev.heddle.simulated.program.Program;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The kinds of bugs: each is found from each of nine starts, in at most 1,000 runs.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BugKindsTest {
  private static final int STARTS = 9;

  /// Starts are this far apart, so that no two share a seed.
  private static final long APART = 1_000_003;

  static Stream<Program> kinds() {
    return Gaps.without(BugKinds.ALL).stream();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void kind_isFoundFromEachStart(Program program) {
    List<Finding> findings = explore(program);
    IO.println(program.name() + ": runs " + runs(findings));
    assertThat(findings).allMatch(Finding::isBug);
  }

  private static List<Finding> explore(Program program) {
    return IntStream.rangeClosed(1, STARTS)
        .mapToObj(start -> Findings.explore(program, Search.WALK, start * APART, 1_000))
        .toList();
  }

  /// The numbers of runs, in order.
  private static List<Integer> runs(List<Finding> findings) {
    return findings.stream().map(Finding::runs).sorted().toList();
  }
}
