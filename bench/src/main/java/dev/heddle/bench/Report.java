// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.report.ReportPage;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.rounds.ResultsFolder;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// A run for the page of the docs: what an earlier run of the same commit has measured is kept.
///
/// @param home the project's folder
/// @param folder where the rounds are
/// @param revision what is measured
/// @param machine where
/// @param effort how thoroughly
record Report(Path home, ResultsFolder folder, Revision revision, Machine machine, Effort effort) {
  private static final String FULL = "full";
  private static final String QUICK = "quick";

  /// Of the sources in this folder.
  static Report in(Path home, Machine machine, Effort effort) {
    Revision revision = Revision.of(home);
    String thorough = effort.option().isEmpty() ? FULL : QUICK;
    Path rounds =
        home.resolve(".heddle").resolve("bench").resolve(revision.name()).resolve(thorough);
    return new Report(home, new ResultsFolder(rounds), revision, machine, effort);
  }

  /// Measures what is not known of a shape yet.
  ShapeResult measure(Shape shape, Consumer<String> progress) throws IOException {
    RoundLog log = folder.log(shape);
    if (log.isComplete(shape)) {
      progress.accept(shape.name() + ": measured by an earlier run, in " + folder.folder());
    }
    return Driver.run(shape, effort.patient(), log, progress);
  }

  /// Writes the page with all that is known of this commit, and returns its path. A shape of which
  /// there is no full run has its quick one.
  Path write() throws IOException {
    Map<Shape, RoundLog> full = folder.beside(FULL).logs(Shapes.all());
    Map<Shape, RoundLog> quick = folder.beside(QUICK).logs(Shapes.all());
    List<ReportPage.Run> runs = new ArrayList<>();
    for (Shape shape : Shapes.all()) {
      RoundLog thorough = full.get(shape);
      RoundLog fast = quick.get(shape);
      if (thorough != null && (fast == null || isWhole(shape, thorough.result(shape)))) {
        runs.add(run(thorough.result(shape), Effort.full()));
      } else if (fast != null) {
        runs.add(run(fast.result(shape), Effort.quick()));
      }
    }
    Path reference = home.resolve("docs").resolve("reference");
    var head =
        new ReportPage.Head(
            machine.text(), revision.text(), revision.name() + "; " + machine.shortText());
    return ReportPage.write(reference, head, Shapes.all(), runs);
  }

  private static boolean isWhole(Shape shape, ShapeResult result) {
    return shape.cases().stream().allMatch(result::isMeasured);
  }

  private static ReportPage.Run run(ShapeResult result, Effort effort) {
    return new ReportPage.Run(result, effort.text(), effort.option());
  }
}
