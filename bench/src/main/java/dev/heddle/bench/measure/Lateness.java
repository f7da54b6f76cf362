// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/// How late timers run. **Thread** one at a time, but for [#ofManyThreads()].
public final class Lateness {
  private static final int DIGITS = 3;

  private final Histogram nanos;

  private Lateness(Histogram nanos) {
    this.nanos = nanos;
  }

  /// Of timers that run one after the other.
  public Lateness() {
    this(new Histogram(DIGITS));
  }

  /// Of timers that run at the same time. **Thread** any.
  public static Lateness ofManyThreads() {
    return new Lateness(new ConcurrentHistogram(DIGITS));
  }

  /// A timer that was due at that time runs now. One that is early counts as on time.
  public void ran(long dueNanoTime) {
    nanos.recordValue(Math.max(0, System.nanoTime() - dueNanoTime));
  }

  /// The same sample with the lateness of all that have run.
  public Sample in(Sample sample) {
    return Latencies.in(sample, nanos, sample.operations() * 1e9 / sample.wallNanos());
  }
}
