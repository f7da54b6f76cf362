// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// A coroutine tried to suspend where the JDK cannot unmount it: inside a class initialiser, or
/// below a native frame. It was not suspended.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=pinned}
///
/// @since 0.1
public final class PinnedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Takes a message that names the pinning frame. For the runtime.
  public PinnedException(String message) {
    super(message);
  }
}
