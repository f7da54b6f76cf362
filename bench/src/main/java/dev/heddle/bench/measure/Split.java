// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

/// A part of a computation that splits unevenly: a tenth, and the rest, down to single leaves.
///
/// @param first leaf
/// @param leaves how many
public record Split(long first, long leaves) {
  /// The count of a sample for how many times as fast all processors were.
  public static final String SPEED_UP = "speed-up";

  private static final int UNEVEN = 10;
  private static final int ROUNDS = 10_000; // 10 to 20 us

  /// Computes the whole.
  public interface Solver {
    /// What the leaves add up to.
    long solve(Split whole) throws Exception;
  }

  /// Has the same computed on one processor and on all; the sample is that on all.
  ///
  /// @throws IllegalStateException when they do not agree
  public static Sample measure(long leaves, Solver one, Solver all, Meter meter) throws Exception {
    var whole = new Split(0, leaves);
    long begin = System.nanoTime();
    long alone = one.solve(whole);
    double took = System.nanoTime() - begin;
    meter.start();
    long together = all.solve(whole);
    Sample sample = meter.stop(leaves);
    if (alone != together) {
      throw new IllegalStateException("one finds " + alone + ", all find " + together);
    }
    return sample.with(SPEED_UP, took / sample.wallNanos());
  }

  /// Whether it is computed, not split.
  public boolean isLeaf() {
    return leaves == 1;
  }

  /// A leaf's number.
  public long compute() {
    return Computation.run(first, ROUNDS) & 0xFFFF;
  }

  /// The smaller part.
  public Split small() {
    return new Split(first, tenth());
  }

  /// The rest.
  public Split large() {
    return new Split(first + tenth(), leaves - tenth());
  }

  private long tenth() {
    return Math.max(1, leaves / UNEVEN);
  }
}
