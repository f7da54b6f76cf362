// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Ends the process that throws it, from any call depth, with a reason in the program's own terms:
/// [Exit#detail] is that object.
///
/// It says how the process ends; what throws it may be a body, a step or an `init`. A step can say
/// the same by [StepOutput#fail] and [StepOutput#shutdown(Object)].
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

  /// A failure that something else has caused.
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
    // nobody looks for the place of what is on purpose, or of another one's end
    super(message, cause, true, !isShutdown && !isLinked);
    this.detail = detail;
    this.isShutdown = isShutdown;
    this.isLinked = isLinked;
  }

  /// An end on purpose: the reason is [Exit.Reason#SHUTDOWN].
  public static ProcessExitException shutdown() {
    return new ProcessExitException("the process ends on purpose", null, true, false, null);
  }

  /// The same, with a reason in the program's own terms.
  public static ProcessExitException shutdown(Object detail) {
    return new ProcessExitException(
        "the process ends on purpose: " + Objects.requireNonNull(detail, "detail"),
        detail,
        true,
        false,
        null);
  }

  /// The end of a process that traps exits, and ends with another all the same: exactly as the link
  /// would have ended it. After a failure the reason is [Exit.Reason#LINKED], after an end on
  /// purpose [Exit.Reason#SHUTDOWN]; the cause is a [LinkedExitException], and the detail is the
  /// other one's.
  ///
  /// @param exit of the other, as a [ProcessSignal.LinkDown] has told it
  public static ProcessExitException linked(Exit exit) {
    LinkedExitException cause = LinkedExitException.after(exit);
    return new ProcessExitException(
        Objects.requireNonNull(cause.getMessage()), exit.detail(), !exit.isFailure(), true, cause);
  }

  /// The reason in the program's own terms; null when there is none.
  public @Nullable Object detail() {
    return detail;
  }

  /// Whether the end is on purpose.
  public boolean isShutdown() {
    return isShutdown;
  }

  /// Whether the end follows from another one's.
  public boolean isLinked() {
    return isLinked;
  }
}
