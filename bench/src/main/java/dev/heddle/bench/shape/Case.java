// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.List;
import java.util.Optional;

/// One size of a shape.
///
/// @param name unique within the shape
/// @param what one phrase for people
/// @param size how many actors, or how deep; the shape says
/// @param pace the rounds
/// @param rows the figures taken from each sample
/// @param share of a case whose size is a part of what another one has shown
public record Case(
    String name, String what, int size, RoundSize pace, List<Row> rows, Optional<Share> share) {
  private static final int TINY = 100;

  /// Copies the rows.
  public Case {
    rows = List.copyOf(rows);
  }

  /// A case with a size of its own.
  public Case(String name, String what, int size, RoundSize pace, List<Row> rows) {
    this(name, what, size, pace, rows, Optional.empty());
  }

  /// The same with so few actors that it only shows that everything works.
  public Case tiny() {
    return sized(Math.min(size, TINY));
  }

  /// Whether it has a row of this name.
  boolean hasRow(String row) {
    return rows.stream().anyMatch(r -> r.name().equals(row));
  }

  /// Whether it cannot run without this case: itself, or that of which it is a part.
  boolean needs(Case other) {
    return other.name.equals(name)
        || share.filter(part -> part.peak().equals(other.name)).isPresent();
  }

  /// The same with another size.
  public Case sized(int changed) {
    return new Case(name, what, changed, pace, rows, share);
  }

  /// A case with one row of the same name.
  public static Case of(String name, String what, int size, RoundSize roundSize, Metric metric) {
    return new Case(name, what, size, roundSize, List.of(new Row(name, metric)));
  }

  /// A part of a rate.
  ///
  /// @param peak the name of an earlier case of the shape, whose first row is a rate: that of the
  ///   first contender there is counts for all, so that all get the same
  /// @param percent the part
  public record Share(String peak, int percent) {
    private static final int WHOLE = 100;

    /// In whole operations per second.
    public int of(double rate) {
      return (int) Math.clamp(rate * percent / WHOLE, 1, Integer.MAX_VALUE);
    }
  }
}
