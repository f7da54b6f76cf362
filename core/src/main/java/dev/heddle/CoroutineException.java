// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// Carries a checked exception out of a coroutine, or out of `run`, `scope`, `withTimeout` and
/// `shield`.
///
/// An exception is wrapped once, where it leaves; every coroutine that awaits gets the same
/// wrapper. Unchecked exceptions and errors are not wrapped.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=checked}
///
/// @since 0.1
public final class CoroutineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Wraps a checked exception.
  public CoroutineException(Exception cause) {
    super(describe(cause), cause);
  }

  // a toString() that throws must not replace the failure
  private static String describe(Throwable failure) {
    try {
      return failure.toString();
    } catch (RuntimeException | Error _) {
      return failure.getClass().getName();
    }
  }

  /// Returns `failure` itself if it is unchecked, else a new wrapper around it.
  public static Throwable of(Throwable failure) {
    return failure instanceof Exception checked && !(failure instanceof RuntimeException)
        ? new CoroutineException(checked)
        : failure;
  }
}
