// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Row;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/// One contender's line of one row.
///
/// @param row which figure
/// @param size which case
/// @param contender whose
/// @param missing why there are no figures, or null
/// @param spread of the figure, null where missing
/// @param cpuNanos CPU time per operation, null where missing
/// @param allocatedBytes median of the bytes allocated per operation, where its runtime tells
/// @param ratio to Heddle's figure, where Heddle has one
public record Line(
    Row row,
    Case size,
    Contender contender,
    @Nullable String missing,
    @Nullable Spread spread,
    @Nullable Spread cpuNanos,
    OptionalDouble allocatedBytes,
    OptionalDouble ratio) {

  /// The line as the bench prints it, seven columns between tabs.
  public String text() {
    String unit = row.metric().unit();
    if (spread == null) {
      return String.join("\t", row.name(), contender.name(), "missing", "-", "-", unit, "-");
    }
    return String.join(
        "\t",
        row.name(),
        contender.name(),
        number(spread.median()),
        number(spread.low()),
        number(spread.high()),
        unit,
        ratio.isPresent() ? number(ratio.getAsDouble()) : "-");
  }

  /// A figure with three digits that mean something.
  public static String number(double value) {
    double size = Math.abs(value);
    String format =
        size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 0.01 || size == 0 ? "%.2f" : "%.4f";
    return String.format(Locale.ROOT, format, value);
  }
}
