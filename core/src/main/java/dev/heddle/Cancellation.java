// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// A coroutine was cancelled; thrown from its suspension point, and to each coroutine that awaits
/// it.
///
/// An [Error], so that `catch (Exception e)` does not swallow it. A cancelled coroutine gets it
/// once, so its `finally` blocks may suspend to clean up. After the grace period every further
/// suspension throws it again, each time as a new object whose cause is the first. If it escapes
/// from a coroutine that was not itself cancelled, it is an ordinary failure of that coroutine.
///
/// A wait in the JDK ends as it does when a thread is interrupted: with an [InterruptedException],
/// or because the JDK closed the socket. The cancellation then counts as delivered.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=cancellation}
///
/// @since 0.1
public class Cancellation extends Error {
  private static final long serialVersionUID = 1;

  private final @Nullable Cancellation first; // the one that this one repeats

  /// Creates a cancellation.
  ///
  /// @param why the reason, as the canceller states it
  public Cancellation(String why) {
    this(why, null);
  }

  /// Creates a cancellation with a cause.
  ///
  /// @param cause what led to it, or null
  public Cancellation(String why, @Nullable Throwable cause) {
    super(why, cause);
    this.first = null;
  }

  /// Creates a repetition of `of`, for [#again()] of subclasses: with the message of `of`, with
  /// `of` as its cause, and without a stack trace.
  protected Cancellation(Cancellation of) {
    super(of.getMessage(), of, true, false);
    this.first = of.first();
  }

  /// The cancellation that this one repeats, or this one if it repeats none.
  public final Cancellation first() {
    return first == null ? this : first;
  }

  /// Repeats this cancellation, for another coroutine or for the same one. The new object has this
  /// one as its cause and no stack trace, so coroutines do not see what others attach to theirs. A
  /// subclass overrides this to keep its type, and calls [#Cancellation(Cancellation)].
  public Cancellation again() {
    return new Cancellation(this);
  }
}
