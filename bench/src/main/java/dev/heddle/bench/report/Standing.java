// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Heddle beside the best of the others in a row.
///
/// @param row which figure
/// @param peer the best other runtime
/// @param heddle Heddle's median, with library flags
/// @param other the peer's
/// @param lead how many times better Heddle is, round by round; below 1 it is behind
record Standing(Row row, Contender peer, double heddle, double other, double lead) {
  /// In the first row of a case; empty where there is nobody to compare with. The limits, which no
  /// program can use as they are, are not peers.
  static Optional<Standing> of(ShapeResult result, Case size) {
    Row row = size.rows().getFirst();
    if (!result.has(row.name(), Contender.HEDDLE)) {
      return Optional.empty();
    }
    Standing best = null;
    for (Contender contender : result.shape().contenders()) {
      if (!contender.isPeer() || !result.has(row.name(), contender.name())) {
        continue;
      }
      Standing standing = beside(result, row, contender);
      if (Double.isFinite(standing.lead) && (best == null || standing.lead < best.lead)) {
        best = standing;
      }
    }
    return Optional.ofNullable(best);
  }

  /// In every case of some results, the furthest behind first.
  static List<Standing> all(List<ShapeResult> results) {
    List<Standing> all = new ArrayList<>();
    for (ShapeResult result : results) {
      result.shape().cases().forEach(size -> of(result, size).ifPresent(all::add));
    }
    all.sort((a, b) -> Double.compare(a.lead, b.lead));
    return all;
  }

  private static Standing beside(ShapeResult result, Row row, Contender peer) {
    double ratio = result.ratio(row.name(), peer.name(), Contender.HEDDLE);
    return new Standing(
        row,
        peer,
        result.median(row.name(), Contender.HEDDLE),
        result.median(row.name(), peer.name()),
        row.metric().moreIsBetter() ? 1 / ratio : ratio);
  }
}
