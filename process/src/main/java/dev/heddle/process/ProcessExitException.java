// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Ends the process that throws it, from any call depth, with a reason in the program's own terms:
/// [Exit#detail] is that object.
///
/// A body, a step or an `init` may throw it. A step can do the same by [StepOutput#fail] and
/// [StepOutput#shutdown(Object)].
///
/// ```java
/// if (stock.isEmpty()) {
///   throw new ProcessExitException(new SoldOut(article)); // a failure: it may be restarted
/// }
/// if (shop.isClosed()) {
///   throw ProcessExitException.shutdown(new Closed(since)); // on purpose: it stays ended
/// }
/// ```
///
/// @since 0.1
public final class ProcessExitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable Object detail;
  private final boolean isShutdown;
  private final boolean isLinked;

  /// A failure: the reason is [Exit.Reason#FAILED].
  public ProcessExitException(Object detail) {
    this(detail, null);
  }

  /// A failure with a cause.
  public ProcessExitException(Object detail, @Nullable Throwable cause) {
    this(
        "the process has failed: " + Objects.requireNonNull(detail, "detail"),
        detail,
        false,
        false,
        cause);
  }

  private ProcessExitException(
      String message,
      @Nullable Object detail,
      boolean isShutdown,
      boolean isLinked,
      @Nullable Throwable cause) {
    // no stack trace for an exit on purpose, or one that follows another process's end
    super(message, cause, true, !isShutdown && !isLinked);
    this.detail = detail;
    this.isShutdown = isShutdown;
    this.isLinked = isLinked;
  }

  /// An exit on purpose: the reason is [Exit.Reason#SHUTDOWN].
  public static ProcessExitException shutdown() {
    return new ProcessExitException("the process ends on purpose", null, true, false, null);
  }

  /// An exit on purpose, with a reason in the program's own terms.
  public static ProcessExitException shutdown(Object detail) {
    return new ProcessExitException(
        "the process ends on purpose: " + Objects.requireNonNull(detail, "detail"),
        detail,
        true,
        false,
        null);
  }

  /// The exit of a process that traps exits and still ends with another one, exactly as the link
  /// would have ended it. After a failure the reason is [Exit.Reason#LINKED], after an exit on
  /// purpose [Exit.Reason#SHUTDOWN]; the cause is a [LinkedExitException], and the detail is that
  /// of the other process.
  ///
  /// @param exit the exit of the other process, from its [ProcessSignal.LinkDown]
  public static ProcessExitException linked(Exit exit) {
    LinkedExitException cause = LinkedExitException.after(exit);
    return new ProcessExitException(
        Objects.requireNonNull(cause.getMessage()), exit.detail(), !exit.isFailure(), true, cause);
  }

  /// The reason in the program's own terms; null when there is none.
  public @Nullable Object detail() {
    return detail;
  }

  /// Whether the exit is on purpose.
  public boolean isShutdown() {
    return isShutdown;
  }

  /// Whether the exit follows that of a linked process.
  public boolean isLinked() {
    return isLinked;
  }
}
