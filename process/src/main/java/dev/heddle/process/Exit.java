// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// How a process has ended.
///
/// Whoever is asked to end, and does so, ends with [Reason#SHUTDOWN]. It is asked by
/// [ProcessRuntime#cancel], by [ProcessContext#requestExit], by a shutdown of the runtime, or by
/// the end of the parent with which it is to end. A process that does not trap exits ends so before
/// its next step. One that traps exits gets a [ProcessSignal] and says itself how it ends;
/// `Server`, `StateMachine`, `Supervisor`, `DynamicSupervisor` and `ProcessPool` say `SHUTDOWN`,
/// with the reason of `requestExit` as the detail. A process that is not asked, or has not ended by
/// the deadline, ends with [Reason#TERMINATED].
///
/// @param pid of it
/// @param reason why
/// @param result what it gave when it was done; null else
/// @param cause what it threw, or what was done to it; null when it ended by itself
/// @param detail a reason in the program's own terms: what the process gave with
///   [StepOutput#shutdown(Object)], [StepOutput#fail] or a [ProcessExitException], or another
///   process with [ProcessContext#requestExit]. Over links it travels as it is. Null where nobody
///   gave one
/// @since 0.1
public record Exit(
    Pid pid,
    Reason reason,
    @Nullable Object result,
    @Nullable Throwable cause,
    @Nullable Object detail) {
  /// Why a process has ended.
  public enum Reason {
    /// it was done
    NORMAL,
    /// it was asked to end, or has said that it ends on purpose; or a process to which it was
    /// linked has ended so
    SHUTDOWN,
    /// it has thrown something, or asked for what cannot be, or said that it has failed
    FAILED,
    /// it was ended without being asked, or after the deadline by which it should have ended
    TERMINATED,
    /// a process to which it was linked has ended, neither normally nor on purpose
    LINKED,
    /// it was in a step when the runtime's shutdown had no more time
    ABANDONED,
    /// there was no such process, or not any more
    NOT_FOUND
  }

  /// An exit without a reason of the program's own.
  public Exit(Pid pid, Reason reason, @Nullable Object result, @Nullable Throwable cause) {
    this(pid, reason, result, cause, null);
  }

  /// Whether links take notice of it: everything but a normal end.
  public boolean isAbnormal() {
    return reason != Reason.NORMAL;
  }

  /// Whether something has gone wrong: everything but a normal end and one on purpose. A supervisor
  /// restarts a TRANSIENT child after a failure.
  public boolean isFailure() {
    return reason != Reason.NORMAL && reason != Reason.SHUTDOWN;
  }

  /// The process with whose end this one began: of an exit that came over links the first, however
  /// many were between; of any other the process itself.
  public Pid origin() {
    return cause instanceof LinkedExitException linked ? linked.origin() : pid;
  }
}
