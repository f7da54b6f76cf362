// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendFailedException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// Begins the shutdown of children.
final class ChildShutdown {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  private ChildShutdown() {}

  /// Cancels a child, or terminates it. The supervisor's monitor reports the exit.
  ///
  /// @param self the supervisor
  /// @param isSupervisor whether the child is a supervisor, for [Shutdown.Default]
  /// @param cancel the signal that has cancelled the supervisor itself, if any: no child has longer
  static void begin(
      ProcessContext self,
      Pid child,
      Shutdown how,
      boolean isSupervisor,
      ProcessSignal.@Nullable Cancel cancel) {
    try {
      switch (how) {
        case Shutdown.Immediate _ -> self.runtime().terminate(child);
        case Shutdown.Within within -> ask(self, child, within.timeout(), cancel);
        case Shutdown.Unlimited _ -> ask(self, child, FOREVER, cancel);
        case Shutdown.Default _ ->
            ask(self, child, isSupervisor ? FOREVER : Shutdown.DEFAULT_TIMEOUT, cancel);
      }
    } catch (SendFailedException _) {
      // safe: it has ended; the supervisor's monitor reports it
    }
  }

  /// Undoes the link to a child whose monitor has reported its exit. Otherwise the signal of the
  /// link would come when the supervisor no longer knows the child.
  static Exit exitAfterUnlink(ProcessContext self, Exit exit) {
    if (exit.isAbnormal()) {
      self.unlink(exit.pid());
    }
    return exit;
  }

  private static void ask(
      ProcessContext self, Pid child, Duration time, ProcessSignal.@Nullable Cancel cancel) {
    Duration within = time;
    if (cancel != null) {
      Duration left = cancel.remaining();
      within = left.compareTo(time) < 0 ? left : time;
    }
    self.runtime().cancel(child, "its supervisor ends it", within);
  }
}
