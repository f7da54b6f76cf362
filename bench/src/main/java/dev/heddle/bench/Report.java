// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.fork.Peers;
import dev.heddle.bench.report.ReportPage;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.rounds.ResultsFolder;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// A run for the page of the docs: what an earlier run of the same commit has measured is kept. The
/// whole takes hours, so the page also shows what was measured of earlier commits, and says of
/// which.
///
/// @param home the project's folder
/// @param results a folder for each commit, in it one for each effort
/// @param revisions what may be on the page: what is measured now, then earlier ones, newest first
/// @param machine where
/// @param effort how thoroughly
record Report(Path home, Path results, List<Revision> revisions, Machine machine, Effort effort) {
  private static final String FULL = "full";
  private static final String QUICK = "quick";

  /// Copies the list.
  Report {
    revisions = List.copyOf(revisions);
  }

  /// Of the sources in this folder.
  static Report in(Path home, Machine machine, Effort effort) {
    Path results = reference(home).resolve(ReportPage.ROUNDS);
    return new Report(home, results, Revision.withEarlier(home), machine, effort);
  }

  private static Path reference(Path home) {
    return home.resolve("docs").resolve("reference");
  }

  /// Measures what is not known of a shape yet.
  ///
  /// @throws IOException when what is known was measured with other flags, sizes or effort, or on
  ///   another machine
  ShapeResult measure(Shape shape, Consumer<String> progress) throws IOException {
    RoundLog log = folder().log(shape);
    log.begin(shape, machine.place(), effort.text(shape));
    if (log.isComplete(shape)) {
      progress.accept(shape.name() + ": measured by an earlier run, in " + folder().folder());
    }
    return Driver.run(shape, effort.patient(), log, progress);
  }

  /// Writes the page and returns its path. A shape has its newest whole full run, else its newest
  /// whole quick one, else what is there of one that is not over. It has none of a time when it
  /// measured something else, or of which nobody knows what it measured.
  ///
  /// @param progress told which rounds are left out
  Path write(Consumer<String> progress) throws IOException {
    List<ReportPage.Run> runs = new ArrayList<>();
    for (Shape shape : Shapes.all()) {
      run(shape, progress).ifPresent(runs::add);
    }
    return ReportPage.write(reference(home), now().text(), Shapes.all(), runs);
  }

  private Optional<ReportPage.Run> run(Shape shape, Consumer<String> progress) throws IOException {
    ReportPage.Run unfinished = null;
    for (Effort thorough : List.of(Effort.full(), Effort.quick())) {
      for (Revision revision : revisions) {
        Optional<RoundLog> known = known(shape, folder(revision, thorough), progress);
        if (known.isEmpty()) {
          continue;
        }
        RoundLog log = known.get();
        ShapeResult result = located(log.result(shape));
        Optional<Instant> end = log.end();
        if (end.isEmpty() || shape.cases().stream().noneMatch(result::isMeasured)) {
          continue;
        }
        var when = new ReportPage.When(revision.name(), log.machine(), end.get());
        var run = new ReportPage.Run(result, when, log.effort(), thorough.option());
        if (isWhole(shape, result)) {
          return Optional.of(run);
        }
        unfinished = unfinished == null ? run : unfinished;
      }
    }
    return Optional.ofNullable(unfinished);
  }

  /// With where programs in other languages are now.
  private static ShapeResult located(ShapeResult result) throws IOException {
    Map<String, List<String>> sources = new HashMap<>(result.sources());
    for (Contender contender : result.shape().contenders()) {
      if (contender.peer().isPresent()) {
        sources.put(contender.name(), Peers.files(contender.peer().get(), result.shape()));
      }
    }
    return new ShapeResult(
        result.shape(),
        result.runtimes(),
        result.figures(),
        result.conditions(),
        sources,
        result.flags());
  }

  private static Optional<RoundLog> known(
      Shape shape, ResultsFolder from, Consumer<String> progress) {
    try {
      Optional<RoundLog> log = from.known(shape);
      if (log.isPresent() && !log.get().isOf(shape)) {
        progress.accept(
            shape.name()
                + ": left out, measured as something else or unknown, in "
                + from.folder());
        return Optional.empty();
      }
      return log;
    } catch (IOException e) {
      progress.accept(shape.name() + ": left out, " + e.getMessage());
      return Optional.empty(); // safe: the others make a page, and somebody is told
    }
  }

  private static boolean isWhole(Shape shape, ShapeResult result) {
    return shape.cases().stream().allMatch(result::isMeasured);
  }

  private Revision now() {
    return revisions.getFirst();
  }

  private ResultsFolder folder() {
    return folder(now(), effort);
  }

  private ResultsFolder folder(Revision revision, Effort thorough) {
    String name = thorough.option().isEmpty() ? FULL : QUICK;
    return new ResultsFolder(results.resolve(revision.name()).resolve(name));
  }
}
