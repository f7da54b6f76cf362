// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

/// How a simulation chooses which of the ready coroutines runs next.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=strategy}
///
/// @since 0.1
public sealed interface Strategy {
  /// Each ready coroutine is as likely as any other.
  static Strategy randomWalk() {
    return new RandomWalk();
  }

  /// Probabilistic concurrency testing: coroutines have random priorities, the first one runs, and
  /// `depth - 1` times it drops below all others. Finds bugs that need few, but particular, changes
  /// of order.
  ///
  /// @param depth the number of ordered steps that the bug needs; at least 1
  /// @throws IllegalArgumentException when `depth` is less than 1
  /// @see <a href="https://doi.org/10.1145/1736020.1736040">Burckhardt et al., A Randomized
  ///   Scheduler with Probabilistic Guarantees of Finding Bugs, 2010</a>
  static Strategy pct(int depth) {
    return new Pct(depth);
  }

  /// All schedules, one after the other, for small programs. [Simulation#explore] then ignores the
  /// number of seeds.
  ///
  /// @param runs the bound: so many runs at most; at least 1
  /// @throws IllegalArgumentException when `runs` is less than 1
  static Strategy exhaustive(int runs) {
    return new Exhaustive(runs);
  }

  /// The order of a loop in production: the oldest first.
  static Strategy fifo() {
    return new Fifo();
  }

  /// See [Strategy#randomWalk()].
  record RandomWalk() implements Strategy {}

  /// See [Strategy#pct(int)].
  ///
  /// @param depth the number of ordered steps
  record Pct(int depth) implements Strategy {
    /// Checks the depth.
    public Pct {
      if (depth < 1) {
        throw new IllegalArgumentException("depth must be at least 1: " + depth);
      }
    }
  }

  /// See [Strategy#exhaustive(int)].
  ///
  /// @param runs the bound
  record Exhaustive(int runs) implements Strategy {
    /// Checks the bound.
    public Exhaustive {
      if (runs < 1) {
        throw new IllegalArgumentException("runs must be at least 1: " + runs);
      }
    }
  }

  /// See [Strategy#fifo()].
  record Fifo() implements Strategy {}
}
