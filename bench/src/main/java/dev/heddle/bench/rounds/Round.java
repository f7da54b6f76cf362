// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.measure.Sample;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// One turn of each contender of a case.
///
/// @param size the case's name
/// @param end when the last contender had its turn
/// @param load what else the machine did meanwhile
/// @param samples by contender
public record Round(String size, Instant end, HostLoad load, Map<String, Sample> samples) {
  /// Copies the samples.
  public Round {
    samples = Collections.unmodifiableMap(new LinkedHashMap<>(samples));
  }
}
