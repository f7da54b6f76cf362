// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.List;

/// One size of a shape.
///
/// @param name unique within the shape
/// @param what one phrase for people
/// @param size how many actors, or how deep; the shape says
/// @param pace the rounds
/// @param rows the figures taken from each sample
public record Case(String name, String what, int size, RoundSize pace, List<Row> rows) {
  private static final int TINY = 100;

  /// Copies the rows.
  public Case {
    rows = List.copyOf(rows);
  }

  /// The same with so few actors that it only shows that everything works.
  public Case tiny() {
    return sized(Math.min(size, TINY));
  }

  /// Whether it has a row of this name.
  boolean hasRow(String row) {
    return rows.stream().anyMatch(r -> r.name().equals(row));
  }

  /// The same with another size.
  public Case sized(int changed) {
    return new Case(name, what, changed, pace, rows);
  }

  /// A case with one row of the same name.
  public static Case of(String name, String what, int size, RoundSize roundSize, Metric metric) {
    return new Case(name, what, size, roundSize, List.of(new Row(name, metric)));
  }
}
