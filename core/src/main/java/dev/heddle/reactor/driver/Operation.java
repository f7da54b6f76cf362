// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import org.jspecify.annotations.Nullable;

/// Something asked of a driver, reusable: FREE → SUBMITTED → FREE, by completion or by cancelling.
///
/// **Thread** the loop's. A descriptor has at most one operation of each kind at a time.
public abstract class Operation {
  /// What can be asked.
  public enum Kind {
    /// Tell when the descriptor can be read from, or accepted from, or has been hung up on.
    POLL_INPUT,
    /// Tell when the descriptor can be written to, or has connected, or never will.
    POLL_OUTPUT
  }

  private final Kind kind;
  private final Descriptor descriptor;

  // loop only
  private boolean submitted;

  /// A free operation on a descriptor.
  protected Operation(Kind kind, Descriptor descriptor) {
    this.kind = kind;
    this.descriptor = descriptor;
  }

  /// What is asked.
  public final Kind kind() {
    return kind;
  }

  /// Of whom.
  public final Descriptor descriptor() {
    return descriptor;
  }

  /// Whether the driver has it.
  public final boolean isSubmitted() {
    return submitted;
  }

  /// The driver takes it.
  ///
  /// @throws IllegalStateException when the driver has it already
  public final void submitted() {
    if (submitted) {
      throw new IllegalStateException("submitted twice: " + this);
    }
    submitted = true;
  }

  /// The driver gives it back without an answer.
  public final void cancelled() {
    submitted = false;
  }

  /// The driver answers, in a tick, or at once when it knows the answer as it is asked.
  public final void complete(@Nullable Throwable error) {
    submitted = false;
    completed(error);
  }

  /// What to do with the answer: null, or why it failed. Takes no lock, runs no user code, throws
  /// nothing.
  protected abstract void completed(@Nullable Throwable error);

  @Override
  public String toString() {
    return kind + " of " + descriptor;
  }
}
