// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

/// How a simulation chooses which of the ready coroutines runs next.
///
/// With the agent heddle-world and its preemption points, it also chooses where the one that runs
/// gives way to another one.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=strategy}
///
/// @since 0.1
public sealed interface Strategy {
  /// Each ready coroutine is as likely as any other. Of the preemption points at which another one
  /// may run, one in ten preempts.
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

  /// All schedules, one after the other, for small programs; those with two preemptions at most.
  /// [Simulation#explore] then ignores the number of seeds.
  ///
  /// @param runs the bound: so many runs at most; at least 1
  /// @throws IllegalArgumentException when `runs` is less than 1
  static Strategy exhaustive(int runs) {
    return exhaustive(runs, Exhaustive.PREEMPTIONS);
  }

  /// All schedules with so many preemptions at most. Else as [#exhaustive(int)].
  ///
  /// @param preemptions the bound of preemptions in one run; 0 or more. Most races need one or two
  /// @throws IllegalArgumentException when `runs` is less than 1, or `preemptions` less than 0
  static Strategy exhaustive(int runs, int preemptions) {
    return new Exhaustive(runs, preemptions);
  }

  /// The order of a loop in production: the oldest first.
  static Strategy fifo() {
    return new Fifo();
  }

  /// The same; besides, at one preemption point in `oneIn` the thread that runs is kept away from
  /// its work for a microsecond to ten seconds of virtual time. Finds code that takes for granted
  /// that no time passes between two of its lines.
  ///
  /// Needs the agent heddle-world, with preemption points.
  ///
  /// @param oneIn at least 1; 100 is usual
  /// @throws IllegalArgumentException when `oneIn` is less than 1
  /// @throws UnsupportedOperationException of an exhaustive strategy: time has no end of choices
  default Strategy withStalls(int oneIn) {
    return new Disturbed(this, oneIn, 0);
  }

  /// The same; besides, before one step in `oneIn` a thread that waits in the JDK returns from
  /// `park`, `Object.wait` or `Condition.await` for no reason, as the JDK allows. Finds waits
  /// without a loop around them.
  ///
  /// Needs the agent heddle-world. A run in which nothing can happen any more is a deadlock still.
  ///
  /// @param oneIn at least 1; 100 is usual
  /// @throws IllegalArgumentException when `oneIn` is less than 1
  /// @throws UnsupportedOperationException of an exhaustive strategy, which does not enumerate them
  default Strategy withSpuriousWakeUps(int oneIn) {
    return new Disturbed(this, 0, oneIn);
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
  /// @param preemptions the bound of preemptions in one run
  record Exhaustive(int runs, int preemptions) implements Strategy {
    private static final int PREEMPTIONS = 2;

    /// Checks the bounds.
    public Exhaustive {
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
    /// Checks the numbers.
    public Disturbed {
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
