// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// A coroutine was cancelled; thrown from its suspension point, and at whoever awaits it.
///
/// An [Error], so that `catch (Exception e)` does not swallow it. It is thrown once, so that
/// `finally` blocks may suspend to clean up; after the grace period every further suspension throws
/// it again. One that escapes a coroutine which was not itself cancelled is an ordinary failure of
/// that coroutine.
///
/// @since 0.1
public class Cancellation extends Error {
  private static final long serialVersionUID = 1;

  /// A cancellation for a reason, in the words of whoever cancels.
  public Cancellation(String why) {
    this(why, null);
  }

  /// A cancellation because of something else.
  ///
  /// @param cause what led to it, or null
  public Cancellation(String why, @Nullable Throwable cause) {
    super(why, cause);
  }
}
