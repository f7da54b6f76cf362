// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// Makes the decisions of one run.
///
/// **Thread** the loop's, in a tick or at a preemption point: takes no lock and throws nothing.
@FunctionalInterface
public interface Chooser {
  /// At a point: the one that runs goes on.
  long GO_ON = -1;

  /// Before a step: no wait ends for no reason.
  int NOBODY = -1;

  /// The oldest first.
  Chooser FIFO = (decision, ready) -> 0;

  /// Called for each decision: whenever two or more are ready.
  ///
  /// @param decision counted from 0; what is ready after a preemption is none
  /// @return the place of the one that runs next; out of range: the oldest
  int choose(int decision, Candidates ready);

  /// Called at each preemption point.
  ///
  /// @param point counted from 0
  /// @param running the id of the one that is there
  /// @param contested whether another one may be ready. If not, giving way has no effect, and the
  ///   point is none of the decisions that an enumeration makes
  /// @return [#GO_ON]; 0: another one runs now; more: the one that is there is kept away for so
  ///   many nanoseconds of virtual time
  default long atPoint(int point, long running, boolean contested) {
    return GO_ON;
  }

  /// Called when the one that runs has given way at a point: chooses among the others.
  ///
  /// @return the place of the one that runs next; out of range: the oldest
  default int chooseInstead(int point, Candidates others) {
    return 0;
  }

  /// Called before each step.
  ///
  /// @param step counted from 0
  /// @param waiting those that wait in the JDK, in the order in which they first ran
  /// @return the place of the one whose wait ends for no reason; out of range: no wait ends
  default int wake(int step, Candidates waiting) {
    return NOBODY;
  }
}
