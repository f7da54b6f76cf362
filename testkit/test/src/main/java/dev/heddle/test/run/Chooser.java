// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// Makes the decisions of one run.
///
/// **Thread** the loop's, in a tick: takes no lock and throws nothing.
@FunctionalInterface
public interface Chooser {
  /// The oldest first.
  Chooser FIFO = (decision, ready) -> 0;

  /// Called for each decision: whenever two or more are ready.
  ///
  /// @param decision counted from 0
  /// @return the place of the one that runs next; out of range: the oldest
  int choose(int decision, Candidates ready);
}
