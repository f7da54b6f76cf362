// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// Carries a checked exception out of a coroutine, or out of `run`, `scope`, `within` and
/// `protect`.
///
/// Made once, where the exception leaves; every awaiter gets the same one, and it is never wrapped
/// again. Unchecked exceptions and errors travel as they are.
///
/// @since 0.1
public final class CoroutineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Wraps a checked exception.
  public CoroutineException(Exception cause) {
    super(describe(cause), cause);
  }

  // a user's toString that fails itself must not take the failure with it
  private static String describe(Throwable failure) {
    try {
      return failure.toString();
    } catch (RuntimeException | Error _) {
      return failure.getClass().getName();
    }
  }

  /// What may leave a coroutine: `failure` itself when it is unchecked, else the one wrapping of
  /// it.
  public static Throwable of(Throwable failure) {
    return failure instanceof Exception checked && !(failure instanceof RuntimeException)
        ? new CoroutineException(checked)
        : failure;
  }
}
