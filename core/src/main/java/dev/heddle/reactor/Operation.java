// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import org.jspecify.annotations.Nullable;

/// Something asked of a driver, reusable: FREE → SUBMITTED → FREE, by completion or by cancelling.
public abstract class Operation {
  /// What can be asked. Kinds that a driver does not list are composed from those it does.
  public enum Kind {
    /// Tell when the descriptor can be read from, or accepted from.
    POLL_INPUT,
    /// Tell when the descriptor can be written to, or has connected.
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
      throw new IllegalStateException("submitted twice: " + kind + " of " + descriptor);
    }
    submitted = true;
  }

  /// The driver gives it back without an answer.
  public final void cancelled() {
    submitted = false;
  }

  /// The driver answers. On the carrier, never on a coroutine's stack.
  public final void complete(@Nullable Throwable error) {
    submitted = false;
    completed(error);
  }

  /// What to do with the answer: null, or why it failed. Takes no lock, runs no user code, throws
  /// nothing.
  protected abstract void completed(@Nullable Throwable error);
}
