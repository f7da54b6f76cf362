// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Row;
import dev.heddle.bench.shape.RunFigures;
import dev.heddle.bench.shape.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/// One run of one shape.
///
/// @param shape what ran
/// @param runtimes each contender's JVM, as it said itself
/// @param figures by case and contender
/// @param conditions by case, where they are known
/// @param sources where each contender's programs are: classes, or folders
/// @param flags each contender's in that run, where they are known
public record ShapeResult(
    Shape shape,
    Map<String, String> runtimes,
    Map<String, Map<String, Figures>> figures,
    Map<String, Conditions> conditions,
    Map<String, List<String>> sources,
    Map<String, String> flags)
    implements RunFigures {

  /// Copies the maps.
  public ShapeResult {
    runtimes = Map.copyOf(runtimes);
    figures = Map.copyOf(figures);
    conditions = Map.copyOf(conditions);
    sources = Map.copyOf(sources);
    flags = Map.copyOf(flags);
  }

  /// Of a run of which only the figures are known.
  public ShapeResult(
      Shape shape, Map<String, String> runtimes, Map<String, Map<String, Figures>> figures) {
    this(shape, runtimes, figures, Map.of(), Map.of(), Map.of());
  }

  /// The JVM's flags of a contender, between spaces.
  public String flagsOf(Contender contender) {
    return flags.getOrDefault(contender.name(), String.join(" ", contender.flags()));
  }

  /// Beside what a case was measured.
  public Conditions conditionsOf(Case size) {
    return conditions.getOrDefault(size.name(), Conditions.UNKNOWN);
  }

  /// Every line of the result, in the order of printing.
  public List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    for (Case size : shape.cases()) {
      for (Row row : size.rows()) {
        shape.contenders().stream()
            .filter(contender -> contender.isIn(size))
            .forEach(contender -> lines.add(line(size, row, contender)));
      }
    }
    return lines;
  }

  @Override
  public boolean has(String row, String contender) {
    return findCase(row).map(size -> !figuresOf(size, contender).samples().isEmpty()).orElse(false);
  }

  @Override
  public double median(String row, String contender) {
    return Spread.of(values(row, contender)).median();
  }

  @Override
  public double ratio(String row, String contender, String other) {
    return ratios(row, contender, other).median();
  }

  /// One contender's figure divided by the other's, round by round.
  public Spread ratios(String row, String contender, String other) {
    return paired(values(row, contender), values(row, other));
  }

  @Override
  public double cpuRatio(String row, String contender, String other) {
    return paired(
            values(caseOf(row), contender, Sample::cpuPerOperation),
            values(caseOf(row), other, Sample::cpuPerOperation))
        .median();
  }

  @Override
  public double count(String row, String contender, String name) {
    return Spread.of(values(caseOf(row), contender, sample -> sample.count(name))).median();
  }

  /// Whether anybody has figures in a case, or was found missing.
  public boolean isMeasured(Case size) {
    return conditionsOf(size).rounds() > 0 || conditions.isEmpty();
  }

  /// Whether a contender has figures in a case.
  boolean hasCase(Case size, String contender) {
    return !figuresOf(size, contender).samples().isEmpty();
  }

  /// Whether a contender's program tells a count.
  boolean counts(Case size, String contender, String name) {
    return figuresOf(size, contender).samples().stream()
        .allMatch(sample -> sample.counts().containsKey(name));
  }

  private Line line(Case size, Row row, Contender contender) {
    Figures found = figuresOf(size, contender.name());
    if (found.samples().isEmpty()) {
      return new Line(
          row,
          size,
          contender,
          found.missing().orElse("it never ran"),
          null,
          null,
          OptionalDouble.empty(),
          OptionalDouble.empty());
    }
    // none where Heddle's own figure is zero: an idle loop may use no CPU that the clock can see
    double toHeddle =
        has(row.name(), Contender.HEDDLE)
            ? ratio(row.name(), contender.name(), Contender.HEDDLE)
            : Double.NaN;
    OptionalDouble ratio =
        Double.isFinite(toHeddle) ? OptionalDouble.of(toHeddle) : OptionalDouble.empty();
    return new Line(
        row,
        size,
        contender,
        null,
        Spread.of(values(row.name(), contender.name())),
        Spread.of(values(size, contender.name(), Sample::cpuPerOperation)),
        allocated(found),
        ratio);
  }

  private static OptionalDouble allocated(Figures figures) {
    List<Sample> samples = figures.samples();
    if (!samples.getFirst().counts().containsKey(Meter.ALLOCATED)) {
      return OptionalDouble.empty();
    }
    double[] bytes = samples.stream().mapToDouble(s -> s.count(Meter.ALLOCATED)).toArray();
    return OptionalDouble.of(Spread.of(bytes).median());
  }

  private double[] values(String row, String contender) {
    Case size = caseOf(row);
    Row wanted = size.rows().stream().filter(r -> r.name().equals(row)).findFirst().orElseThrow();
    return values(size, contender, wanted.metric().of());
  }

  double[] values(Case size, String contender, ToDoubleFunction<Sample> of) {
    return figuresOf(size, contender).samples().stream().mapToDouble(of).toArray();
  }

  private Figures figuresOf(Case size, String contender) {
    return figures
        .getOrDefault(size.name(), Map.of())
        .getOrDefault(contender, Figures.missing("it never ran"));
  }

  private Case caseOf(String row) {
    return findCase(row)
        .orElseThrow(() -> new IllegalArgumentException("No row " + row + " in " + shape.name()));
  }

  private Optional<Case> findCase(String row) {
    return shape.cases().stream()
        .filter(size -> size.rows().stream().anyMatch(r -> r.name().equals(row)))
        .findFirst();
  }

  /// The quotients of each round: what slowed the machine in a round slowed both.
  static Spread paired(double[] above, double[] below) {
    var quotients = new double[Math.min(above.length, below.length)];
    for (int i = 0; i < quotients.length; i++) {
      quotients[i] = above[i] == below[i] ? 1 : above[i] / below[i];
    }
    return Spread.of(quotients);
  }
}
