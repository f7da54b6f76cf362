// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

/// Who keeps a context for guests of one kind: they follow each other on the same thread, and what
/// one binds to the thread the next one finds.
public interface ContextKeeper {
  /// Runs all of the context's guests, once, as the thread's outermost frame. On the context's own
  /// thread.
  void frame(Runnable guests);

  /// A guest has ended and the context is about to rest: the next one may be admitted and queued.
  /// On the context's own thread; throws nothing.
  ///
  /// @return false when no other comes: the context is to end
  boolean guestEnded();
}
