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
public sealed interface Strategy
    permits Strategies.RandomWalk,
        Strategies.Pct,
        Strategies.Exhaustive,
        Strategies.Fifo,
        Strategies.Disturbed {
  /// Each ready coroutine is as likely as any other. Of the preemption points at which another one
  /// may run, one in ten preempts.
  static Strategy randomWalk() {
    return new Strategies.RandomWalk();
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
    return new Strategies.Pct(depth);
  }

  /// All schedules, one after the other, for small programs; those with two preemptions at most.
  /// [Simulation#explore] then ignores the number of seeds.
  ///
  /// @param runs the bound: so many runs at most; at least 1
  /// @throws IllegalArgumentException when `runs` is less than 1
  static Strategy exhaustive(int runs) {
    return exhaustive(runs, Strategies.Exhaustive.PREEMPTIONS);
  }

  /// All schedules with so many preemptions at most. Else as [#exhaustive(int)].
  ///
  /// @param preemptions the bound of preemptions in one run; 0 or more. Most races need one or two
  /// @throws IllegalArgumentException when `runs` is less than 1, or `preemptions` less than 0
  static Strategy exhaustive(int runs, int preemptions) {
    return new Strategies.Exhaustive(runs, preemptions);
  }

  /// The order of a loop in production: the oldest first.
  static Strategy fifo() {
    return new Strategies.Fifo();
  }

  /// The same; besides, at one preemption point in `oneIn` the thread that runs is kept away from
  /// its work for a microsecond to ten seconds of virtual time. Finds code that takes for granted
  /// that no time passes between two of its lines.
  ///
  /// Needs the agent heddle-world, with preemption points.
  ///
  /// @param oneIn at least 1: 10 for small programs, more for those that give up their own waits
  /// @throws IllegalArgumentException when `oneIn` is less than 1
  /// @throws UnsupportedOperationException of an exhaustive strategy: time has no end of choices
  default Strategy withStalls(int oneIn) {
    return new Strategies.Disturbed(this, oneIn, 0);
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
    return new Strategies.Disturbed(this, 0, oneIn);
  }
}
