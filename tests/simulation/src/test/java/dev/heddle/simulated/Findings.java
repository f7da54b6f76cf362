// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import dev.heddle.simulated.program.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What explorations of several programs found: for each program and search the seed that failed,
/// the number of runs until then, and the time.
final class Findings {
  private final List<Finding> all;

  private Findings(List<Finding> all) {
    this.all = all;
  }

  /// What one exploration found.
  ///
  /// @param program what was explored
  /// @param search how
  /// @param seed of the last run: the failing one, where one failed
  /// @param runs until then
  /// @param ending of the first run that did not pass; null when all have passed
  /// @param nanos of real time
  record Finding(
      Program program, Search search, long seed, int runs, @Nullable Ending ending, long nanos) {

    /// Whether it is the program's bug.
    boolean isBug() {
      return ending != null && ending.isBugOf(program);
    }

    /// Whether it contradicts the program's table: a run of a program that passes did not, or a run
    /// of one that fails ended in another way than it must.
    boolean isWrong() {
      return ending != null && !ending.isBugOf(program);
    }

    private String row() {
      return String.format(
          Locale.ROOT,
          "%-44s %-8s %9s %6d %7d us  %s",
          program.name(),
          search.title(),
          ending == null ? "-" : seed,
          runs,
          TimeUnit.NANOSECONDS.toMicros(nanos) / runs,
          ending == null ? "" : ending.kind() + " " + ending.text());
    }
  }

  /// Explores each program, by one search after the other until one finds something.
  ///
  /// @param programs what to explore
  /// @param searches how, in this order
  /// @param seeds the number of runs of each search
  static Findings of(List<Program> programs, List<Search> searches, int seeds) {
    return of(programs, searches, 0, seeds);
  }

  /// Explores each program from another seed on. Else as [#of(List, List, int)].
  ///
  /// @param first the first seed of each search
  static Findings of(List<Program> programs, List<Search> searches, long first, int seeds) {
    List<Finding> all = new ArrayList<>();
    for (Program program : programs) {
      Finding last = null;
      for (int i = 0; i < searches.size() && (last == null || last.ending() == null); i++) {
        last = explore(program, searches.get(i), first, seeds);
        all.add(last);
      }
    }
    return new Findings(all);
  }

  /// Runs a program until a run does not pass.
  ///
  /// @param first the first seed; the others follow it
  /// @param seeds the number of runs at most
  static Finding explore(Program program, Search search, long first, int seeds) {
    long began = System.nanoTime();
    for (int run = 1; run <= seeds; run++) {
      long seed = first + run - 1;
      Ending ending = Simulated.run(program, search, seed);
      if (ending.kind() != Ending.Kind.PASSED) {
        return new Finding(program, search, seed, run, ending, System.nanoTime() - began);
      }
    }
    long last = first + seeds - 1;
    return new Finding(program, search, last, seeds, null, System.nanoTime() - began);
  }

  /// The names of the programs whose bug was found.
  List<String> found() {
    return names(Finding::isBug);
  }

  /// What contradicts the programs' tables.
  List<String> wrong() {
    return all.stream().filter(Finding::isWrong).map(Finding::row).toList();
  }

  private List<String> names(Predicate<Finding> which) {
    return all.stream().filter(which).map(finding -> finding.program().name()).distinct().toList();
  }

  /// A row for each exploration of a program that must fail, or that has failed: program, search,
  /// failing seed, runs, real time of a run, ending. In the end, how many passed as they must.
  @Override
  public String toString() {
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            "%-44s %-8s %9s %6s %10s  %s%n",
            "program", "search", "seed", "runs", "a run", "ending"));
    int passed = 0;
    for (Finding finding : all) {
      if (finding.ending == null && !finding.program.mustFail()) {
        passed++;
      } else {
        table.append(finding.row()).append(System.lineSeparator());
      }
    }
    return table.append("passed, as they must: ").append(passed).toString();
  }
}
