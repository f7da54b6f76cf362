// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The status of a child, at one moment.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=children}
///
/// @param name of the child
/// @param state of the child
/// @param pid of the process that runs, or ran last; null before the first start
/// @param starts the number of starts and of attempts to start
/// @param delay before the last restart, or the next one; zero when there was none
/// @param exit of the last process; null when none has ended. If no process could be made, its PID
///   has the number 0 and belongs to no process
/// @since 0.1
public record ChildStatus(
    String name, State state, @Nullable Pid pid, int starts, Duration delay, @Nullable Exit exit) {
  /// The states of a child.
  public enum State {
    /// waits for the children after which it starts
    WAITING,
    /// has a process that has not started yet
    STARTING,
    /// has started: its `init` has returned, or it has reported ready
    RUNNING,
    /// has ended, and will be restarted after the delay
    BACKING_OFF,
    /// is being ended by its supervisor
    STOPPING,
    /// was ended by its supervisor, for good
    STOPPED,
    /// has ended by itself without a failure, for good
    EXITED,
    /// has failed, or has ended before it had started, for good
    FAILED
  }
}
