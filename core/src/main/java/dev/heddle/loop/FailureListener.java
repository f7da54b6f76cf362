// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import org.jspecify.annotations.Nullable;

/// Gets the failures of a loop that no code of the program observes, instead of the log.
///
/// **Thread** any; never waits, throws nothing.
@FunctionalInterface
public interface FailureListener {
  /// Called once for each report.
  ///
  /// @param what what happened
  /// @param failure null: there is no throwable
  void onReport(String what, @Nullable Throwable failure);
}
