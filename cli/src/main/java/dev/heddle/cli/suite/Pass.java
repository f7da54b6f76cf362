// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// One run of Maven over some modules: its output, and the reports of their tests.
final class Pass {
  final List<SuiteModule> modules;
  final BuildLog log;
  final Reports reports;

  private final String suffix;
  private final boolean whole;
  private final Map<SuiteModule, Long> began = new HashMap<>();
  private final Map<SuiteModule, Long> ended = new HashMap<>();

  /// @param suffix set behind the modules' names on the board
  /// @param whole whether all tests of the modules run; else the board does not keep the modules
  ///   that have none of the chosen ones
  Pass(
      List<SuiteModule> modules,
      Function<SuiteModule, Path> targets,
      String suffix,
      boolean whole) {
    this.modules = modules;
    this.log = new BuildLog(modules);
    this.reports = new Reports(modules, targets);
    this.suffix = suffix;
    this.whole = whole;
  }

  /// The modules as the board shows them now.
  ///
  /// @param history how many test classes each had before
  List<ModuleLine> lines(TestClasses history) throws IOException {
    long now = System.nanoTime();
    var lines = new ArrayList<ModuleLine>();
    for (SuiteModule module : modules) {
      BuildLog.Stage stage = log.stage(module);
      if (stage != BuildLog.Stage.WAITING && stage != BuildLog.Stage.NOT_RUN) {
        began.putIfAbsent(module, now);
      }
      if (stage.compareTo(BuildLog.Stage.DONE) >= 0) {
        ended.putIfAbsent(module, now);
      }
      long elapsed = ended.getOrDefault(module, now) - began.getOrDefault(module, now);
      List<TestResult> results = reports.of(module);
      boolean has = !results.isEmpty() || stage != BuildLog.Stage.DONE;
      if (!whole && (!has || stage == BuildLog.Stage.WAITING)) {
        continue;
      }
      lines.add(
          new ModuleLine(
              module.name() + suffix,
              stage,
              count(results, TestResult.Kind.PASSED),
              count(results, TestResult.Kind.FAILED),
              count(results, TestResult.Kind.SKIPPED),
              reports.files(module),
              whole ? history.expected(module, reports.ways(module)) : 0,
              Duration.ofNanos(elapsed)));
    }
    return lines;
  }

  /// Whether a module's tests were not started. Those of a JVM that crashed were.
  boolean hasSkipped(SuiteModule module) {
    BuildLog.Stage stage = log.stage(module);
    boolean begun =
        !reports.of(module).isEmpty()
            || log.problems().stream()
                .anyMatch(p -> p.artifact().equals(module.artifact()) && p.isOfTests());
    return stage == BuildLog.Stage.NOT_RUN || (stage == BuildLog.Stage.STOPPED && !begun);
  }

  /// How many test classes have ended.
  int classes() {
    return modules.stream().mapToInt(reports::files).sum();
  }

  /// Whether a module runs its tests now.
  boolean isTesting() {
    return modules.stream().anyMatch(module -> log.stage(module) == BuildLog.Stage.TESTING);
  }

  private static long count(List<TestResult> results, TestResult.Kind kind) {
    return results.stream().filter(result -> result.kind() == kind).count();
  }
}
