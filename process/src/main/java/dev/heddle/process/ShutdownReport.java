// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;

/// What a shutdown did.
///
/// @param asked how many processes were asked to end, because they trap exits
/// @param terminated how many of those had not ended in time, and were ended
/// @param abandoned those that were in a step even then; others that no worker had got round to by
///   the deadline are ended after it, and not named
/// @since 0.1
public record ShutdownReport(int asked, int terminated, List<Abandoned> abandoned) {
  /// Copies the list.
  public ShutdownReport {
    abandoned = List.copyOf(abandoned);
  }

  /// A process whose step did not return in time.
  ///
  /// @param pid of it
  /// @param kind the class of the process
  /// @param stack where its step was, the innermost frame first; empty when it was in none
  public record Abandoned(Pid pid, String kind, List<StackTraceElement> stack) {
    /// Copies the list.
    public Abandoned {
      stack = List.copyOf(stack);
    }
  }
}
