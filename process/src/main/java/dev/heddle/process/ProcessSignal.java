// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What the runtime itself sends to a process, as the data of a message event. Signals do not count
/// to the bound of the mailbox, and none is dropped.
///
/// @since 0.1
public sealed interface ProcessSignal {
  /// Somebody asks the process to end in an orderly way; only for processes that trap exits, the
  /// others are ended. **Order** before all messages.
  ///
  /// The deadline is a point of the monotonic clock, which nobody sets: a wall clock that is put
  /// forward takes no time from a clean-up.
  ///
  /// @param reason in words
  /// @param deadlineNanos after which it is ended without being asked, on the scale of
  ///   [System#nanoTime()]
  record Cancel(String reason, long deadlineNanos) implements ProcessSignal {
    /// Asks for an end within a time from now on.
    public static Cancel within(String reason, Duration time) {
      long nanos = Math.max(0, TimeUnit.NANOSECONDS.convert(time)); // 292 years at most
      return new Cancel(reason, System.nanoTime() + nanos);
    }

    /// The time that is left to clean up; zero when it is over.
    public Duration remaining() {
      return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }
  }

  /// Another process asks this one to end, with a reason in the program's own terms, by
  /// [ProcessContext#requestExit]; only for processes that trap exits, the others are ended. There
  /// is no deadline: what follows from it is for this process to decide.
  ///
  /// @param from the process that asks; null when it was the program
  /// @param detail the reason
  record ExitRequest(@Nullable Pid from, Object detail) implements ProcessSignal {}

  /// A process that this one monitors has ended. **Order** behind all messages and answers that it
  /// has sent to this one.
  ///
  /// @param monitor what `monitor` has returned
  /// @param exit how it ended
  record Down(long monitor, Exit exit) implements ProcessSignal {}

  /// A process to which this one is linked has ended; only for processes that trap exits, the
  /// others end with it. **Order** behind all messages and answers that it has sent to this one.
  ///
  /// @param exit how it ended
  record LinkDown(Exit exit) implements ProcessSignal {}
}
