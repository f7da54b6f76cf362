// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;

/// What a shutdown did.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=shutdown}
///
/// @param asked how many processes were asked to end because they trap exits
/// @param terminated how many of those missed their time and were terminated
/// @param abandoned the processes that held a worker at the deadline; processes that no worker
///   reached by then are ended afterwards and not listed
/// @since 0.1
public record ShutdownReport(int asked, int terminated, List<Abandoned> abandoned) {
  /// Copies the list.
  public ShutdownReport {
    abandoned = List.copyOf(abandoned);
  }

  /// A process that held a worker at the deadline.
  ///
  /// @param pid the process
  /// @param kind the class of the process
  /// @param phase which code does not return
  /// @param stack where it is, innermost frame first; empty when it is in no code of its own
  public record Abandoned(Pid pid, String kind, Phase phase, List<StackTraceElement> stack) {
    /// The code that does not return.
    public enum Phase {
      /// its step, its `init` or its `close`; its exit is reported as [Exit.Reason#ABANDONED]
      STEP,
      /// an observer of its end: [ProcessListener#onExit], or a callback of
      /// [ProcessRuntime#whenExited] or [ProcessRuntime#request]. The process has ended; later
      /// observers are called when that one returns
      CLOSE
    }

    /// Copies the list.
    public Abandoned {
      stack = List.copyOf(stack);
    }
  }
}
