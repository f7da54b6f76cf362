// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/// How long processes that were ready have waited for a worker: a sample of one in 64 on average,
/// chosen by chance.
///
/// @param counts of delays by length: in place n, those of less than 2^n µs that are in no place
///   before; in the last, all that are longer
/// @since 0.1
public record QueueDelay(List<Long> counts) {
  private static final int BUCKETS = 32; // the last but one ends at some 17 minutes

  /// None were measured.
  public static final QueueDelay NONE = new QueueDelay(Collections.nCopies(BUCKETS, 0L));

  /// Copies the list.
  ///
  /// @throws IllegalArgumentException when it has not as many places as [#NONE]
  public QueueDelay {
    counts = List.copyOf(counts);
    if (counts.size() != BUCKETS) {
      throw new IllegalArgumentException(BUCKETS + " places are needed, not " + counts.size());
    }
  }

  /// How many delays were measured.
  public long samples() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  /// Those that were measured after `earlier`.
  ///
  /// @param earlier of the same runtime
  public QueueDelay since(QueueDelay earlier) {
    return new QueueDelay(
        IntStream.range(0, BUCKETS)
            .mapToObj(place -> counts.get(place) - earlier.counts.get(place))
            .toList());
  }

  /// A time within which a part of all delays was over: at most twice as long as needed for that.
  /// Zero without samples.
  ///
  /// @param part from 0 to 1
  public Duration percentile(double part) {
    if (!(part >= 0 && part <= 1)) {
      throw new IllegalArgumentException("a part is from 0 to 1, not " + part);
    }
    long samples = samples();
    long needed = (long) Math.ceil(samples * part);
    long seen = 0;
    for (int place = 0; place < BUCKETS && samples > 0; place++) {
      seen += counts.get(place);
      if (seen >= needed && seen > 0) {
        return Duration.ofNanos((1L << place) * 1_000);
      }
    }
    return Duration.ZERO;
  }
}
