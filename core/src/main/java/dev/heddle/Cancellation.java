// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// A coroutine was cancelled; thrown from its suspension point, and at whoever awaits it.
///
/// An [Error], so that `catch (Exception e)` does not swallow it. It is thrown once, so that
/// `finally` blocks may suspend to clean up; after the grace period every further suspension throws
/// it again, each time as a new object whose cause is the first. One that escapes a coroutine which
/// was not itself cancelled is an ordinary failure of that coroutine.
///
/// A wait of the JDK's ends as that wait ends when its thread is interrupted: with an
/// [InterruptedException], or because the JDK has closed the socket. That counts as thrown.
///
/// @since 0.1
public class Cancellation extends Error {
  private static final long serialVersionUID = 1;

  private final @Nullable Cancellation first; // that this one repeats

  /// A cancellation for a reason, in the words of whoever cancels.
  public Cancellation(String why) {
    this(why, null);
  }

  /// A cancellation because of something else.
  ///
  /// @param cause what led to it, or null
  public Cancellation(String why, @Nullable Throwable cause) {
    super(why, cause);
    this.first = null;
  }

  /// A repetition of another one, for [#again()] of subclasses: it has that one's message, that one
  /// as its cause, and no stack trace of its own.
  protected Cancellation(Cancellation of) {
    super(of.getMessage(), of, true, false);
    this.first = of.first();
  }

  /// The cancellation that this one repeats; itself when it repeats none.
  public final Cancellation first() {
    return first == null ? this : first;
  }

  /// This cancellation for one more coroutine, or once more for the same one: a new object, so that
  /// what one coroutine attaches to it is seen by no other. Its cause is this one, and it has no
  /// stack trace of its own. A subclass that is to arrive as itself overrides this, with what
  /// [#Cancellation(Cancellation)] makes.
  public Cancellation again() {
    return new Cancellation(this);
  }
}
