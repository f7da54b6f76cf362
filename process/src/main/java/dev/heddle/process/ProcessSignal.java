// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.scheduler.WorkerThread;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A message of the runtime itself to a process, as the data of a message event. Signals do not
/// count toward the capacity of the mailbox, and none is dropped.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=signals}
///
/// @since 0.1
public sealed interface ProcessSignal {
  /// The process is asked to end in an orderly way. Only processes that trap exits get it; others
  /// are ended. **Order** before all messages.
  ///
  /// The deadline is a point of the monotonic clock, so that a change of the wall clock takes no
  /// time from a clean-up.
  ///
  /// @param reason a description
  /// @param deadlineNanos when it is terminated, on the scale of [System#nanoTime()], or of the
  ///   virtual time of a simulation
  record Cancel(String reason, long deadlineNanos) implements ProcessSignal {
    /// A request to end within a time from now on.
    public static Cancel within(String reason, Duration time) {
      long nanos = Math.max(0, TimeUnit.NANOSECONDS.convert(time)); // 292 years at most
      return new Cancel(reason, WorkerThread.nanoTime() + nanos);
    }

    /// The time left to clean up; zero when it is over.
    public Duration remaining() {
      return Duration.ofNanos(Math.max(0, deadlineNanos - WorkerThread.nanoTime()));
    }
  }

  /// Another process asks this one to end, by [ProcessContext#requestExit], with a reason in the
  /// program's own terms. Only processes that trap exits get it; others are ended. There is no
  /// deadline: this process decides what it does.
  ///
  /// @param from the process that asks; null when it is the program
  /// @param detail the reason
  record ExitRequest(@Nullable Pid from, Object detail) implements ProcessSignal {}

  /// A monitored process has ended. **Order** after all messages and replies that it has sent to
  /// this process.
  ///
  /// @param monitor the reference that `monitor` returned
  /// @param exit how it ended
  record Down(long monitor, Exit exit) implements ProcessSignal {}

  /// A linked process has ended. Only processes that trap exits get it; others end with it.
  /// **Order** after all messages and replies that it has sent to this process.
  ///
  /// @param exit how it ended
  record LinkDown(Exit exit) implements ProcessSignal {}

  /// Messages to a process of another node were accepted for their way there, and then not by its
  /// mailbox. Only a process that has called [ProcessContext#trapUndelivered()] before it sent them
  /// gets this signal. A refusal by [ProcessContext#offer] or [ProcessContext#send] itself is not
  /// repeated by it, and requests fail instead.
  ///
  /// The other node counts what it has refused since its last report, and does not know the
  /// senders. So the count contains messages of other processes of this node to the same process.
  ///
  /// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=undelivered}
  ///
  /// @param to the process that has not got them
  /// @param count how many messages, at least 1
  /// @param why the mailbox has refused them: [SendResult#FULL], for example
  record Undelivered(Pid to, long count, SendResult why) implements ProcessSignal {}
}
