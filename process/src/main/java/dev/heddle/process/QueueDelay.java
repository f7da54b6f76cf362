// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/// How long ready processes have waited for a worker: a random sample of one in 64 on average.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=counters}
///
/// @param counts a histogram: bucket n counts the delays below 2^n µs that are in no earlier
///   bucket; the last one counts all longer delays
/// @since 0.1
public record QueueDelay(List<Long> counts) {
  private static final int BUCKETS = 32; // the last but one ends at some 17 minutes

  /// No samples.
  public static final QueueDelay NONE = new QueueDelay(Collections.nCopies(BUCKETS, 0L));

  /// Copies the list.
  ///
  /// @throws IllegalArgumentException when it has not as many buckets as [#NONE]
  public QueueDelay {
    counts = List.copyOf(counts);
    if (counts.size() != BUCKETS) {
      throw new IllegalArgumentException(BUCKETS + " buckets are needed, not " + counts.size());
    }
  }

  /// The number of samples.
  public long samples() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  /// The samples taken after `earlier`.
  ///
  /// @param earlier an older value of the same runtime
  public QueueDelay since(QueueDelay earlier) {
    return new QueueDelay(
        IntStream.range(0, BUCKETS)
            .mapToObj(place -> counts.get(place) - earlier.counts.get(place))
            .toList());
  }

  /// The delay that a given part of the samples did not exceed, rounded up to a power of two in µs:
  /// at most twice the exact value. Zero without samples.
  ///
  /// @param part from 0 to 1, such as 0.99
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
