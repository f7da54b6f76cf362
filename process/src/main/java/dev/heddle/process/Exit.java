// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// How a process has ended.
///
/// @param pid of it
/// @param reason why
/// @param result what it gave when it was done; null else
/// @param cause what it threw, or what was done to it; null when it ended by itself
/// @since 0.1
public record Exit(Pid pid, Reason reason, @Nullable Object result, @Nullable Throwable cause) {
  /// Why a process has ended.
  public enum Reason {
    /// it was done
    NORMAL,
    /// it was asked to end, or has said that it ends on purpose
    SHUTDOWN,
    /// it has thrown something, or asked for what cannot be
    FAILED,
    /// somebody has ended it
    TERMINATED,
    /// a process to which it was linked has ended, other than normally
    LINKED,
    /// it was in a step when the runtime's shutdown had no more time
    ABANDONED,
    /// there was no such process, or not any more
    NOT_FOUND
  }

  /// Whether links take notice of it.
  public boolean isAbnormal() {
    return reason != Reason.NORMAL;
  }

  /// Whether it is a failure: everything but an end in its own time and one on purpose.
  public boolean isFailure() {
    return reason != Reason.NORMAL && reason != Reason.SHUTDOWN;
  }
}
