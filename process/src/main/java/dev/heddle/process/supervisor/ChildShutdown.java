// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendFailedException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// Begins the ends of children.
final class ChildShutdown {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  private ChildShutdown() {}

  /// What is meant for a process where nothing else is said.
  static Shutdown of(Shutdown said, Process child) {
    if (!(said instanceof Shutdown.Default)) {
      return said;
    }
    return child instanceof StartOnce
        ? Shutdown.unlimited()
        : Shutdown.within(Shutdown.DEFAULT_TIMEOUT);
  }

  /// Asks a child to end, or terminates it. The supervisor's monitor tells when it is over.
  ///
  /// @param self the supervisor
  /// @param cancel what the supervisor itself was asked to end by, if it was: no child has longer
  static void begin(
      ProcessContext self, Pid child, Shutdown how, ProcessSignal.@Nullable Cancel cancel) {
    try {
      switch (how) {
        case Shutdown.Immediate _ -> self.runtime().terminate(child);
        case Shutdown.Within within -> ask(self, child, within.timeout(), cancel);
        case Shutdown.Unlimited _, Shutdown.Default _ -> ask(self, child, FOREVER, cancel);
      }
    } catch (SendFailedException _) {
      // safe: it has ended; the supervisor's monitor is about to tell
    }
  }

  /// A child has ended, as its monitor tells. Its link may tell the same, behind that, when nobody
  /// knows any more that it was a child: so the link is undone.
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
