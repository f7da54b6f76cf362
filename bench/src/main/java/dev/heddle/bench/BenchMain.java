// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.report.JsonFile;
import dev.heddle.bench.result.Comparison;
import dev.heddle.bench.result.Line;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Bar;
import dev.heddle.bench.shape.Contender.Build;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// `heddle bench`: runs shapes side by side and prints a line per contender.
///
/// Standard output carries the lines and nothing else, so that it can be cut and compared; machine,
/// flags, progress and bars go to standard error.
public final class BenchMain {
  /// The project's folder, told by the launcher; the working folder where nothing is told.
  public static final String HOME_VARIABLE = "HEDDLE_HOME";

  private static final int FAILED = 1;
  private static final int USAGE_ERROR = 2;

  private final PrintStream lines;
  private final PrintStream words;

  BenchMain(PrintStream lines, PrintStream words) {
    this.lines = lines;
    this.words = words;
  }

  /// Runs the command line; exits with 2 if it makes no sense.
  public static void main(String[] arguments) throws IOException {
    int status = new BenchMain(System.out, System.err).run(arguments);
    if (status != 0) {
      System.exit(status);
    }
  }

  int run(String... arguments) throws IOException {
    Options options;
    try {
      options = Options.of(arguments);
    } catch (IllegalArgumentException e) {
      words.println("heddle bench: " + e.getMessage());
      words.print(Options.USAGE);
      return USAGE_ERROR;
    }
    if (options.list()) {
      Shapes.all().forEach(this::list);
      return 0;
    }
    return run(options);
  }

  private int run(Options options) throws IOException {
    Machine machine = Machine.here();
    words.println("# " + machine.text());
    if (options.against().isPresent()) {
      return against(options, options.against().get());
    }
    Optional<Report> report =
        options.report()
            ? Optional.of(Report.in(home(), machine, options.effort()))
            : Optional.empty();
    List<ShapeResult> results = new ArrayList<>();
    for (Shape shape : options.shapes()) {
      ShapeResult result =
          report.isPresent()
              ? report.get().measure(shape, this::progress)
              : Driver.run(shape, options.effort(), this::progress);
      results.add(result);
      result.lines().stream().map(Line::text).forEach(lines::println);
      lines.flush();
      shape.bars().forEach(bar -> verdict(bar, result));
    }
    if (options.json().isPresent()) {
      Files.writeString(options.json().get(), JsonFile.text(machine.text(), results));
    }
    if (report.isPresent()) {
      words.println("# written: " + report.get().write(this::progress));
    }
    return 0;
  }

  private static Path home() {
    return Path.of(Objects.requireNonNullElse(System.getenv(HOME_VARIABLE), ""));
  }

  private int against(Options options, Build other) {
    lines.println("row\tcontender\t" + other.revision() + "\tnow\tfigure\tratio\tverdict");
    List<Comparison> changed = new ArrayList<>();
    for (Shape shape : options.shapes()) {
      List<Comparison> all;
      try {
        all = Against.run(shape, other, options.starts(), options.effort(), this::progress);
      } catch (IllegalStateException e) {
        words.println("heddle bench: " + e.getMessage());
        return FAILED;
      }
      all.stream().map(Comparison::text).forEach(lines::println);
      lines.flush();
      all.stream().filter(Comparison::isChanged).forEach(changed::add);
    }
    words.println(
        changed.isEmpty()
            ? "# nothing changed beyond noise since " + other.revision()
            : "# changed beyond noise since " + other.revision() + ":");
    changed.forEach(comparison -> words.println("#   " + comparison.text().replace('\t', ' ')));
    return 0;
  }

  private void list(Shape shape) {
    long minutes = Math.ceilDiv(Effort.full().budget(shape).toSeconds(), 60L);
    lines.println(shape.name() + "\t" + shape.what() + "\tabout " + minutes + " min");
    shape
        .contenders()
        .forEach(contender -> lines.println("\t" + contender.name() + "\t" + contender.what()));
  }

  private void progress(String line) {
    words.println("# " + line);
  }

  private void verdict(Bar bar, ShapeResult result) {
    Bar.Verdict verdict = bar.judge(result);
    words.println(
        "# bar "
            + verdict.state()
            + ": "
            + bar.row()
            + ", "
            + bar.subject()
            + " "
            + bar.text()
            + ": "
            + verdict.found());
  }
}
