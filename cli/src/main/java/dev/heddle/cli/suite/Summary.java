// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The result of a run as text: what was skipped and why, failures with the commands that repeat
/// them, what stopped a module; the count last.
final class Summary {
  private static final int OTHERS = 5; // of a parameterized test that fails with many arguments

  private final PrintWriter out;
  private final List<TestResult> results;
  private final boolean full;

  Summary(PrintWriter out, List<TestResult> results, boolean full) {
    this.out = out;
    this.results = results;
    this.full = full;
  }

  void failures() {
    Map<String, List<TestResult>> groups = new LinkedHashMap<>();
    for (TestResult result : results) {
      if (result.kind() == TestResult.Kind.FAILED) {
        groups
            .computeIfAbsent(result.module() + " " + result.selector(), _ -> new ArrayList<>())
            .add(result);
      }
    }
    groups.values().forEach(this::failure);
  }

  private void failure(List<TestResult> group) {
    TestResult first = group.getFirst();
    out.println();
    out.println("FAILED " + first.title());
    first.cause().forEach(line -> out.println("    " + line));
    group.stream().skip(1).limit(OTHERS).forEach(r -> out.println("  and " + r.title()));
    if (group.size() > OTHERS + 1) {
      out.println("  and " + (group.size() - OTHERS - 1) + " more of it");
    }
    out.println("  again: " + first.command(full));
  }

  void problem(Problem problem, String module) {
    out.println();
    String goal = problem.goal().isEmpty() ? "" : " (" + problem.goal() + ")";
    out.println("STOPPED " + module + ": " + problem.what() + goal);
    problem.lines().forEach(line -> out.println("    " + line));
    out.println("  to do: " + problem.advice());
  }

  /// Where tests stood that were ended because none went on.
  void standstill(List<String> findings) {
    if (!findings.isEmpty()) {
      out.println();
      findings.forEach(line -> out.println(line.startsWith(" ") ? line : "STOOD STILL " + line));
    }
  }

  /// One line for each reason: what a test needs and this machine lacks.
  void skipped() {
    Map<String, List<TestResult>> reasons =
        results.stream()
            .filter(result -> result.kind() == TestResult.Kind.SKIPPED)
            .collect(
                Collectors.groupingBy(TestResult::reason, LinkedHashMap::new, Collectors.toList()));
    reasons.forEach((reason, tests) -> {
      var types = new TreeSet<String>();
      tests.forEach(test -> types.add(test.simpleType()));
      out.println("skipped " + tests.size() + " (" + String.join(", ", types) + "): " + reason);
    });
  }

  /// Prints for each module that runs its tests in several ways that each way counts.
  void ways() {
    Map<String, Map<String, Long>> modules =
        results.stream()
            .collect(
                Collectors.groupingBy(
                    TestResult::module,
                    LinkedHashMap::new,
                    Collectors.groupingBy(
                        TestResult::mode, LinkedHashMap::new, Collectors.counting())));
    modules.forEach((module, ways) -> {
      if (ways.size() > 1) {
        String each =
            ways.entrySet().stream()
                .map(way ->
                    (way.getKey().isEmpty() ? "default" : way.getKey()) + " " + way.getValue())
                .collect(Collectors.joining(", "));
        out.println(module + " counts each way it runs its tests: " + each);
      }
    });
  }

  void log(Path log) {
    out.println("all output, traces provoked on purpose included: " + log);
  }

  /// The line that scripts read.
  void count() {
    out.printf(
        "%d passed, %d failed, %d skipped%n",
        count(TestResult.Kind.PASSED),
        count(TestResult.Kind.FAILED),
        count(TestResult.Kind.SKIPPED));
  }

  long count(TestResult.Kind kind) {
    return results.stream().filter(result -> result.kind() == kind).count();
  }
}
