// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

/// The owner of a reserved context, which runs occupants of one kind only: they follow each other
/// on the same thread, and each finds what the one before has bound to the thread.
public interface ContextOwner {
  /// Runs all occupants of the context, once, as the thread's outermost frame. Called on the
  /// context's own thread.
  void runInFrame(Runnable occupants);

  /// An occupant has ended and the context is about to be idle: the owner may admit and queue the
  /// next one. Called on the context's own thread; throws nothing.
  ///
  /// @return false when no other occupant comes: the context ends
  boolean occupantEnded();
}
