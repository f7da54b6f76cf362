// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// A histogram of delays in powers of two of a microsecond. **Thread** one at a time.
final class QueueDelays {
  private static final int BUCKETS = 32; // the last one: half an hour and more
  private static final int PERCENT = 100;

  private final long[] counts = new long[BUCKETS];
  private long samples;
  private long longest; // since the last reset of it

  void add(long nanos) {
    long micros = Math.max(0, nanos) / 1_000;
    counts[Math.min(BUCKETS - 1, Long.SIZE - Long.numberOfLeadingZeros(micros))]++;
    samples++;
    longest = Math.max(longest, micros);
  }

  long samples() {
    return samples;
  }

  /// The bound that `percent` of the delays do not exceed, in microseconds.
  long percentile(int percent) {
    long rank = (samples * percent + PERCENT - 1) / PERCENT;
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return samples == 0 ? 0 : 1L << i;
      }
    }
    return 0;
  }

  /// How many there were in each bucket, in a row: bucket n has those below 2^n microseconds that
  /// are in no earlier one. Of two readings the difference is what lies between.
  String histogram() {
    return LongStream.of(counts).mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  /// The longest in microseconds since this was last called.
  long takeLongest() {
    long taken = longest;
    longest = 0;
    return taken;
  }
}
