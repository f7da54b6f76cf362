// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Chooses which of the ready coroutines of one priority runs next.
///
/// A loop takes the oldest by default. Other choices are for tests: a program must be correct in
/// every order that a picker can produce, because no coroutine may rely on how long others wait.
///
/// **Thread** the loop's, in a tick: it takes no lock, runs no user code and throws nothing.
@FunctionalInterface
public interface ReadyPicker {
  /// The oldest.
  ReadyPicker FIFO = ready -> 0;

  /// Called once for each decision, and again when an entry of a higher priority came in between.
  ///
  /// @param ready the number of candidates; at least one
  /// @return the index of the chosen one, counted from the oldest, which is 0
  int pick(int ready);

  /// The same, for a picker whose choice depends on which entries are ready.
  default int pick(ReadyCandidates ready) {
    return pick(ready.size());
  }
}
