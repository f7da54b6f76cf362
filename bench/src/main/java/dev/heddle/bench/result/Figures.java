// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import dev.heddle.bench.measure.Sample;
import java.util.List;
import java.util.Optional;

/// What one contender showed in one case: a sample per round, or why there is none.
///
/// @param samples one per round, in order
/// @param missing the reason, where there is none
public record Figures(List<Sample> samples, Optional<String> missing) {
  /// Copies the samples.
  public Figures {
    samples = List.copyOf(samples);
  }

  /// Of a contender that took part in every round.
  public static Figures of(List<Sample> samples) {
    return new Figures(samples, Optional.empty());
  }

  /// Of a contender that did not.
  public static Figures missing(String reason) {
    return new Figures(List.of(), Optional.of(reason));
  }
}
