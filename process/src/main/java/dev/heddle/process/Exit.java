// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// How a process has ended.
///
/// A process that is asked to end, and does, exits with [Reason#SHUTDOWN]. The request comes from
/// [ProcessRuntime#cancel], [ProcessContext#requestExit], a shutdown of the runtime, or the end of
/// a parent whose [Lifetime] it shares. A process that does not trap exits ends before its next
/// step. One that traps exits gets a [ProcessSignal] and decides how to end; `GenServer`,
/// `StateMachine`, `Supervisor`, `DynamicSupervisor` and `ProcessPool` end with `SHUTDOWN` and the
/// reason of `requestExit` as the detail. A process that was terminated, or has not ended by the
/// deadline, exits with [Reason#TERMINATED].
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=exit}
///
/// @param pid the process
/// @param reason why
/// @param result the result of a normal exit; null otherwise
/// @param cause what the process threw, or what ended it from outside; null when it ended by itself
/// @param detail a reason in the program's own terms: given by the process with
///   [StepOutput#shutdown(Object)], [StepOutput#fail] or a [ProcessExitException], or by another
///   process with [ProcessContext#requestExit]. Links pass it on unchanged. Null when none was
///   given
/// @since 0.1
public record Exit(
    Pid pid,
    Reason reason,
    @Nullable Object result,
    @Nullable Throwable cause,
    @Nullable Object detail) {
  /// Why a process has ended.
  public enum Reason {
    /// it completed
    NORMAL,
    /// it was asked to end, or ended on purpose; or a linked process did
    SHUTDOWN,
    /// it threw, requested something impossible, or reported its failure
    FAILED,
    /// it was terminated, or missed the deadline of a request to end
    TERMINATED,
    /// a linked process has ended, neither normally nor on purpose
    LINKED,
    /// it was still in a step at the deadline of the runtime's shutdown
    ABANDONED,
    /// there is no such process, or it has ended before
    NOT_FOUND,
    /// the connection to its node is lost; the process may be alive
    NO_CONNECTION
  }

  /// An exit without a detail.
  public Exit(Pid pid, Reason reason, @Nullable Object result, @Nullable Throwable cause) {
    this(pid, reason, result, cause, null);
  }

  /// Whether links propagate it: every exit but a normal one.
  public boolean isAbnormal() {
    return reason != Reason.NORMAL;
  }

  /// Whether it is a failure: neither a normal exit nor one on purpose. A supervisor restarts a
  /// TRANSIENT child after a failure.
  public boolean isFailure() {
    return reason != Reason.NORMAL && reason != Reason.SHUTDOWN;
  }

  /// The process at which this exit began: the first one of an exit propagated by links, else the
  /// process itself.
  public Pid origin() {
    return cause instanceof LinkedExitException linked ? linked.origin() : pid;
  }
}
