// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

/// The implementations of [Strategy]: what each has been asked for.
final class Strategies {
  private Strategies() {}

  /// See [Strategy#randomWalk()].
  record RandomWalk() implements Strategy {}

  /// See [Strategy#pct(int)].
  ///
  /// @param depth the number of ordered steps
  record Pct(int depth) implements Strategy {
    Pct {
      if (depth < 1) {
        throw new IllegalArgumentException("depth must be at least 1: " + depth);
      }
    }
  }

  /// See [Strategy#exhaustive(int)].
  ///
  /// @param runs the bound
  /// @param preemptions the bound of preemptions in one run
  record Exhaustive(int runs, int preemptions) implements Strategy {
    static final int PREEMPTIONS = 2;

    Exhaustive {
      if (runs < 1) {
        throw new IllegalArgumentException("runs must be at least 1: " + runs);
      }
      if (preemptions < 0) {
        throw new IllegalArgumentException("preemptions must be at least 0: " + preemptions);
      }
    }

    @Override
    public Strategy withStalls(int oneIn) {
      throw notEnumerated("stalls");
    }

    @Override
    public Strategy withSpuriousWakeUps(int oneIn) {
      throw notEnumerated("spurious wake-ups");
    }

    private static UnsupportedOperationException notEnumerated(String what) {
      return new UnsupportedOperationException(
          "an exhaustive strategy does not enumerate " + what + "; use a random walk or PCT");
    }
  }

  /// See [Strategy#fifo()].
  record Fifo() implements Strategy {}

  /// See [Strategy#withStalls] and [Strategy#withSpuriousWakeUps].
  ///
  /// @param order chooses what runs next
  /// @param stalls at one point in so many; 0: at none
  /// @param wakeUps before one step in so many; 0: before none
  record Disturbed(Strategy order, int stalls, int wakeUps) implements Strategy {
    Disturbed {
      if (stalls < 0 || wakeUps < 0 || stalls + wakeUps == 0) {
        throw new IllegalArgumentException(
            "one in so many must be at least 1: stalls %d, wake-ups %d".formatted(stalls, wakeUps));
      }
    }

    @Override
    public Strategy withStalls(int oneIn) {
      return new Disturbed(order, requirePositive(oneIn), wakeUps);
    }

    @Override
    public Strategy withSpuriousWakeUps(int oneIn) {
      return new Disturbed(order, stalls, requirePositive(oneIn));
    }

    private static int requirePositive(int oneIn) {
      if (oneIn < 1) {
        throw new IllegalArgumentException("one in so many must be at least 1: " + oneIn);
      }
      return oneIn;
    }
  }
}
