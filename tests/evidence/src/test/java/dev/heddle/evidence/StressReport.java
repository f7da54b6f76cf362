// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What jcstress has printed: a verdict on each test in each configuration, and how many of each
/// kind there were.
///
/// @param output of a run with `-v`, which prints the tests that passed too
record StressReport(String output) {
  /// `OK`, `FAILED` (a forbidden outcome), `ERROR`, `VM ERROR`, `TIMEOUT`, or a later one's.
  private static final Pattern VERDICT =
      Pattern.compile("\\[([A-Z][A-Z_ ]*)] (dev\\.heddle\\.\\S+)");

  private static final Pattern COUNTS =
      Pattern.compile(
          "\\(Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard"
              + " errs\\)");

  /// The tests that had this verdict in some configuration.
  List<String> tests(String verdict) {
    return verdicts(verdict::equals).map(match -> match.group(2)).distinct().toList();
  }

  /// Everything that is not as expected: verdicts other than these, errors, and results that are
  /// missing.
  List<String> otherThan(String... verdicts) {
    Set<String> expected = Set.of(verdicts);
    List<String> others =
        new ArrayList<>(
            verdicts(verdict -> !expected.contains(verdict))
                .map(MatchResult::group)
                .distinct()
                .toList());
    MatchResult last = COUNTS.matcher(output).results().reduce((_, later) -> later).orElse(null);
    if (last == null) {
      others.add("jcstress has not counted its results");
    } else if (number(last, 1) != number(last, 2) + number(last, 3)
        || number(last, 4) + number(last, 5) > 0
        || (number(last, 3) > 0 && !expected.contains("FAILED"))) {
      others.add(last.group());
    }
    return others;
  }

  private Stream<MatchResult> verdicts(Predicate<String> which) {
    return VERDICT.matcher(output).results().filter(match -> which.test(match.group(1)));
  }

  private static int number(MatchResult counts, int group) {
    return Integer.parseInt(counts.group(group));
  }
}
