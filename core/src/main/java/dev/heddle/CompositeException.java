// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import java.util.List;

/// Several handlers failed; all of their failures, in order.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=composite}
///
/// @since 0.1
public final class CompositeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Throwable> failures;

  /// Takes at least one failure: the first becomes the cause, the others are suppressed.
  public CompositeException(String message, List<? extends Throwable> failures) {
    super(message, failures.getFirst());
    this.failures = List.copyOf(failures);
    for (Throwable failure : this.failures.subList(1, this.failures.size())) {
      addSuppressed(failure);
    }
  }

  /// All failures, in the order in which they happened.
  public List<Throwable> failures() {
    return failures;
  }
}
