// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Which thread has done how much. **Thread** any.
public final class Shares {
  /// The count of a sample for what the busiest thread has done, in percent.
  public static final String BUSIEST = "busiest-percent";

  /// What each actor computes when it is woken: some 100 us.
  public static final int ROUNDS = 100_000;

  private final Map<Thread, LongAdder> shares = new ConcurrentHashMap<>();

  /// The current thread has done one more.
  public void one() {
    shares.computeIfAbsent(Thread.currentThread(), _ -> new LongAdder()).increment();
  }

  /// The same sample with the share of the busiest.
  ///
  /// @throws IllegalStateException when it is not the right number
  public Sample in(Sample sample, long wanted) {
    long all = shares.values().stream().mapToLong(LongAdder::sum).sum();
    long most = shares.values().stream().mapToLong(LongAdder::sum).max().orElse(0);
    if (all != wanted) {
      throw new IllegalStateException(all + " were done, but should be " + wanted);
    }
    return sample.with(BUSIEST, 100.0 * most / all);
  }
}
