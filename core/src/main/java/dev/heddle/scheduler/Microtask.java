// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// A small piece of the runtime's own work, run in a tick before the next coroutine.
///
/// Not for user code: it runs on whatever stack is suspending, so it takes no lock, blocks on
/// nothing and is over at once.
public interface Microtask {
  /// Does the work. An exception ends this tick's microtasks and becomes the loop's exit exception;
  /// the rest stay queued.
  void run();

  /// Called instead of [#run] when the loop ends first; exactly once.
  void release();
}
