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
        cause);
  }

  private ProcessExitException(
      String message, @Nullable Object detail, boolean isShutdown, @Nullable Throwable cause) {
    super(message, cause, true, !isShutdown); // nobody looks for the place of what is on purpose
    this.detail = detail;
    this.isShutdown = isShutdown;
  }

  /// An end on purpose: the reason is [Exit.Reason#SHUTDOWN].
  public static ProcessExitException shutdown() {
    return new ProcessExitException("the process ends on purpose", null, true, null);
  }

  /// The same, with a reason in the program's own terms.
  public static ProcessExitException shutdown(Object detail) {
    return new ProcessExitException(
        "the process ends on purpose: " + Objects.requireNonNull(detail, "detail"),
        detail,
        true,
        null);
  }

  /// The reason in the program's own terms; null when there is none.
  public @Nullable Object detail() {
    return detail;
  }

  /// Whether the end is on purpose.
  public boolean isShutdown() {
    return isShutdown;
  }
}
