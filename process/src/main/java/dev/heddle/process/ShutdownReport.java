// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;

/// What a shutdown did.
///
/// @param asked how many processes were asked to end, because they trap exits
/// @param terminated how many of those had not ended in time, and were ended
/// @param abandoned those that held a worker even then; others that no worker had got round to by
///   the deadline are ended after it, and not named
/// @since 0.1
public record ShutdownReport(int asked, int terminated, List<Abandoned> abandoned) {
  /// Copies the list.
  public ShutdownReport {
    abandoned = List.copyOf(abandoned);
  }

  /// A process that held a worker at the deadline.
  ///
  /// @param pid of it
  /// @param kind the class of the process
  /// @param phase what does not return
  /// @param stack where that was, the innermost frame first; empty when it was in none
  public record Abandoned(Pid pid, String kind, Phase phase, List<StackTraceElement> stack) {
    /// What of a process does not return.
    public enum Phase {
      /// its step, its `init` or its `close`: it is told to have ended, as [Exit.Reason#ABANDONED]
      STEP,
      /// somebody who is told of its end: [ProcessListener#onComplete], or a callback of
      /// [ProcessRuntime#whenExited] or [ProcessRuntime#request]. It has ended; those who come
      /// after are not told before that returns
      CLOSE
    }

    /// Copies the list.
    public Abandoned {
      stack = List.copyOf(stack);
    }
  }
}
