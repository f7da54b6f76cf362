// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import dev.heddle.observe.trace.Recording;
import java.util.Map;

/// What an observer in another JVM may observe: a loop, a process runtime, a node of a cluster, and
/// the last reports of loops that have ended. **Thread** any.
public interface Attachable {
  /// What it is: `loop`, `runtime`, `cluster` or `ended`. An observer ignores kinds that it does
  /// not know.
  String kind();

  /// Its name and its counts, by names that stay the same from version to version.
  Map<String, String> summary();

  /// A feed for an observer that stays; opens when it is first looked at.
  ///
  /// @throws IllegalArgumentException where there is none
  default Feed watch() {
    throw new IllegalArgumentException("a " + kind() + " cannot be watched");
  }

  /// Begins to record a trace.
  ///
  /// @throws IllegalArgumentException where there is none
  /// @throws IllegalStateException when it cannot begin now, with the reason
  default Recording record() {
    throw new IllegalArgumentException("a " + kind() + " cannot be traced");
  }

  /// Answers a question, without waiting for long.
  ///
  /// @param question `table`, `dump`, `json`; `stack` and the number of a coroutine
  /// @throws IllegalArgumentException when it does not know the question
  String answer(String question);
}
