// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How a child is, at one moment.
///
/// @param name of it
/// @param state what it does
/// @param pid of the process that runs, or ran last; null before the first start
/// @param starts how often it was started, or a start was tried
/// @param delay before the last restart, or the one that is to come; zero when there was none
/// @param exit how it ended last; null when it never has. Of a start for which no process could be
///   made it has the number 0 in its PID, which is nobody's
/// @since 0.1
public record ChildStatus(
    String name, State state, @Nullable Pid pid, int starts, Duration delay, @Nullable Exit exit) {
  /// What a child does.
  public enum State {
    /// waits for those after which it starts
    WAITING,
    /// has a process that has not started yet
    STARTING,
    /// has started: its `init` has returned, or it has said so
    RUNNING,
    /// has ended, and will be started again after the delay
    BACKING_OFF,
    /// was told to end
    STOPPING,
    /// was ended by its supervisor, for good
    STOPPED,
    /// was done, for good
    EXITED,
    /// has failed, or has ended before it had started, for good
    FAILED
  }
}
