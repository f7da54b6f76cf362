// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static dev.heddle.simulated.Search.STALLS;
import static dev.heddle.simulated.Search.WAITS;
import static dev.heddle.simulated.Search.WALK;
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

/// The seven kinds of bugs: over nine starts, the median of the runs that it takes to find each is
/// at most that of the prototype's best and worst search.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BugKindsTest {
  private static final int STARTS = 9;

  /// Starts are this far apart, so that no two share a seed.
  private static final long APART = 1_000_003;

  /// How a kind is looked for, and what it may take.
  ///
  /// @param program the kind
  /// @param search how
  /// @param median runs
  record Row(Program program, Search search, int median) {
    @Override
    public String toString() {
      return program.name() + ", " + search.title();
    }
  }

  /// The medians of the prototype.
  static Stream<Row> rows() {
    return Stream.of(
        new Row(BugKinds.LOST_UPDATE, WAITS, 5),
        new Row(BugKinds.EXPIRED_ENTRY, STALLS, 14),
        new Row(BugKinds.FORGOTTEN_TIMEOUT, WAITS, 16),
        new Row(BugKinds.LOCK_ORDER, STALLS, 7),
        new Row(BugKinds.LOST_NOTIFY, WAITS, 1),
        new Row(BugKinds.RETRY_STORM, WAITS, 1),
        new Row(BugKinds.DATA_RACE, WALK, 8));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void kind_isFoundWithinTheMedian(Row row) {
    List<Finding> findings = explore(row);
    IO.println(row + ": " + runs(findings));
    assertThat(findings).allMatch(Finding::isBug);
    assertThat(runs(findings).get(STARTS / 2))
        .as("%s", runs(findings))
        .isLessThanOrEqualTo(row.median);
  }

  private static List<Finding> explore(Row row) {
    return IntStream.rangeClosed(1, STARTS)
        .mapToObj(start -> Findings.explore(row.program, row.search, start * APART, 1_000))
        .toList();
  }

  /// The numbers of runs, in order.
  private static List<Integer> runs(List<Finding> findings) {
    return findings.stream().map(Finding::runs).sorted().toList();
  }
}
