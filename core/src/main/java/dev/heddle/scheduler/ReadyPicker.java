// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Chooses which of the ready coroutines runs next, among those of the same priority.
///
/// Loops take the oldest. Another choice is for tests: every order that a picker can make is one
/// that a program must bear, for nobody promises it how long its neighbours wait.
///
/// **Thread** the loop's, in a tick: no lock, no user code, no exception.
@FunctionalInterface
public interface ReadyPicker {
  /// The oldest.
  ReadyPicker FIFO = ready -> 0;

  /// Asked once for each decision, and again when somebody of a higher priority came in between.
  ///
  /// @param ready how many there are; at least one
  /// @return who is next, counted from the oldest, which is 0
  int pick(int ready);
}
