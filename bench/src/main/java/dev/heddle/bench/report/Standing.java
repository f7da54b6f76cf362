// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import dev.heddle.bench.result.Line;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.result.Spread;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A contender of ours beside the best of the others in a row.
///
/// @param row which figure
/// @param subject the contender of ours
/// @param peer the other runtime with the best median, whatever its flags
/// @param heddle the subject's median
/// @param other the peer's
/// @param lead how many times better the subject is, round by round; below 1 it is behind
record Standing(
    Row row, Contender subject, Contender peer, double heddle, double other, Spread lead) {
  private static final Comparator<Standing> BY_LEAD =
      Comparator.comparingDouble(standing -> standing.lead.median());

  /// In the first row of a case; empty where there is nobody to compare with. The limits, which no
  /// program can use as they are, are not peers.
  ///
  /// @param subject the name of the contender of ours
  static Optional<Standing> of(ShapeResult result, Case size, String subject) {
    Row row = size.rows().getFirst();
    if (!result.has(row.name(), subject)) {
      return Optional.empty();
    }
    Comparator<Contender> byMedian =
        Comparator.comparingDouble(peer -> result.median(row.name(), peer.name()));
    return result.shape().contenders().stream()
        .filter(peer -> peer.isPeer() && result.has(row.name(), peer.name()))
        .min(row.metric().moreIsBetter() ? byMedian.reversed() : byMedian)
        .map(peer -> beside(result, row, result.shape().contender(subject), peer))
        .filter(standing -> Double.isFinite(standing.lead.median()));
  }

  /// In every case of some results, the furthest behind first. Ours is the program with library
  /// flags.
  static List<Standing> all(List<ShapeResult> results) {
    List<Standing> all = new ArrayList<>();
    for (ShapeResult result : results) {
      for (Case size : result.shape().cases()) {
        of(result, size, Contender.HEDDLE).ifPresent(all::add);
      }
    }
    all.sort(BY_LEAD);
    return all;
  }

  private static Standing beside(ShapeResult result, Row row, Contender subject, Contender peer) {
    return new Standing(
        row,
        subject,
        peer,
        result.median(row.name(), subject.name()),
        result.median(row.name(), peer.name()),
        row.metric().moreIsBetter()
            ? result.ratios(row.name(), subject.name(), peer.name())
            : result.ratios(row.name(), peer.name(), subject.name()));
  }

  /// Whether nobody can say who is ahead: rounds disagree, or the two medians disagree with them.
  boolean isLevel() {
    return (lead.low() <= 1 && lead.high() >= 1) || isContradicted();
  }

  boolean isAhead() {
    return times() > 1;
  }

  /// How many times better the subject is; 1 where the two medians say the opposite of the rounds.
  double times() {
    return isContradicted() ? 1 : lead.median();
  }

  private boolean isContradicted() {
    double difference = row.metric().moreIsBetter() ? heddle - other : other - heddle;
    return difference * (lead.median() - 1) < 0;
  }

  /// `2.00 x ahead`, `1.50 x behind`, `level`, or `level: 1.05 x behind`.
  String words() {
    double times = times();
    String ratio =
        String.format(
            Locale.ROOT,
            "%.2f x %s",
            isAhead() ? times : 1 / times,
            isAhead() ? "ahead" : "behind");
    return !isLevel() ? ratio : times == 1 ? "level" : "level: " + ratio;
  }

  /// The lead of the rounds: median and range.
  String rounds() {
    return "%s [%s, %s]"
        .formatted(Line.number(lead.median()), Line.number(lead.low()), Line.number(lead.high()));
  }
}
