// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/// A figure of a contender in two commits.
///
/// @param row the row's name
/// @param contender as this commit calls it
/// @param figure the row's unit, `CPU ns/op` or `B/op`
/// @param before the other commit's median over all starts
/// @param now this commit's
/// @param change from the one to the other
/// @param moreIsBetter whether more of it is better
public record Comparison(
    String row,
    String contender,
    String figure,
    double before,
    double now,
    Change change,
    boolean moreIsBetter) {
  private static final double BYTE = 1; // less than one per operation is the meter's own

  /// Compares what both commits have shown.
  ///
  /// @param starts a result for each start, all of the same shape
  public static List<Comparison> of(List<ShapeResult> starts) {
    List<Comparison> all = new ArrayList<>();
    ShapeResult first = starts.getFirst();
    for (Contender old : first.shape().contenders()) {
      if (old.build().isEmpty()) {
        continue;
      }
      for (Case size : first.shape().cases()) {
        all.addAll(of(starts, old, size));
      }
    }
    return all;
  }

  private static List<Comparison> of(List<ShapeResult> starts, Contender old, Case size) {
    String now = old.programName();
    List<ShapeResult> both =
        starts.stream()
            .filter(result -> result.hasCase(size, now) && result.hasCase(size, old.name()))
            .toList();
    List<Comparison> all = new ArrayList<>();
    if (both.isEmpty()) {
      return all;
    }
    var pair = new Pair(both, size, old.name(), now);
    for (Row row : size.rows()) {
      all.add(
          pair.compare(
              row.name(),
              row.metric().unit(),
              row.metric().of(),
              grain(row),
              row.metric().moreIsBetter()));
    }
    String name = size.rows().getFirst().name();
    all.add(pair.compare(name, "CPU ns/op", Sample::cpuPerOperation, 0, false));
    if (pair.counts(Meter.ALLOCATED)) {
      all.add(pair.compare(name, "B/op", s -> s.count(Meter.ALLOCATED), BYTE, false));
    }
    return all;
  }

  private static double grain(Row row) {
    return row.metric().unit().equals("B") ? BYTE : 0;
  }

  /// What it comes to, in a word.
  public String verdict() {
    return switch (change.direction()) {
      case MORE -> moreIsBetter ? "better" : "worse";
      case LESS -> moreIsBetter ? "worse" : "better";
      case WITHIN_NOISE -> "within noise";
      case TOO_FEW_STARTS -> "too few starts";
    };
  }

  /// Whether it changed beyond noise.
  public boolean isChanged() {
    return switch (change.direction()) {
      case MORE, LESS -> true;
      case WITHIN_NOISE, TOO_FEW_STARTS -> false;
    };
  }

  /// Seven columns between tabs.
  public String text() {
    return String.join(
        "\t",
        row,
        contender,
        Line.number(before),
        Line.number(now),
        figure,
        String.format(
            Locale.ROOT, "%.3f [%.3f, %.3f]", change.ratio(), change.low(), change.high()),
        verdict());
  }

  /// The samples of two contenders.
  private record Pair(List<ShapeResult> starts, Case size, String before, String now) {
    /// Grains are added to both, so that next to nothing is no multiple of nothing.
    Comparison compare(
        String row,
        String figure,
        ToDoubleFunction<Sample> of,
        double grain,
        boolean moreIsBetter) {
      double[] ratios =
          starts.stream()
              .mapToDouble(start -> ratio(start, of, grain))
              .filter(Double::isFinite) // a clock that saw nothing says nothing
              .toArray();
      return new Comparison(
          row,
          now,
          figure,
          median(before, of),
          median(now, of),
          Change.of(ratios.length == 0 ? new double[] {1} : ratios),
          moreIsBetter);
    }

    boolean counts(String name) {
      return starts.stream()
          .allMatch(result -> result.counts(size, now, name) && result.counts(size, before, name));
    }

    private double ratio(ShapeResult start, ToDoubleFunction<Sample> of, double grain) {
      ToDoubleFunction<Sample> grained = sample -> of.applyAsDouble(sample) + grain;
      return ShapeResult.paired(
              start.values(size, now, grained), start.values(size, before, grained))
          .median();
    }

    private double median(String contender, ToDoubleFunction<Sample> of) {
      return Spread.of(
              starts.stream()
                  .flatMapToDouble(result -> Arrays.stream(result.values(size, contender, of)))
                  .toArray())
          .median();
    }
  }
}
