// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// A small piece of the runtime's own work, done in a tick before the next coroutine runs.
///
/// Not for user code. A microtask runs on the stack of whichever coroutine suspends, so it takes no
/// lock, never blocks, depends on nothing that is bound to a thread, and returns quickly.
///
/// **Thread** the loop's. **Order** first in, first out; at most 1,024 a tick. An exception stops
/// the microtasks of this tick and becomes the loop's exit exception; the others stay queued for
/// the next tick.
public abstract class Microtask {
  /*
   * Reference counting. Each entry in the queue holds a reference to the microtask, and so does the
   * code that calls retain(). The last release runs destroy() exactly once, whatever happened to
   * the task: it ran, it threw, it was cancelled, or the loop ended first.
   *
   * States.  from       event                                to
   *          HELD(n)    post(), retain()                     HELD(n + 1)
   *          HELD(n)    taken out of the queue, release()    HELD(n - 1)
   *          HELD(1)    taken out of the queue, release()    DESTROYED
   * A task may be in the queue more than once, and then runs more than once. Every other event
   * throws.
   */
  private static final int DESTROYED = -1;

  // loop only
  private int references;
  private boolean cancelled;

  protected abstract void run();

  /// Frees what the task owns, after the last reference was released. Throws nothing.
  protected void destroy() {}

  /// Adds a reference.
  ///
  /// @throws IllegalStateException when the task is already destroyed
  public final void retain() {
    checkHeld();
    references++;
  }

  /// Releases a reference.
  ///
  /// @throws IllegalStateException when it is released more often than retained
  public final void release() {
    checkHeld();
    if (--references <= 0) {
      boolean tooOften = references < 0;
      references = DESTROYED;
      if (tooOften) {
        throw new IllegalStateException("released without having been retained: " + this);
      }
      destroy();
    }
  }

  private void checkHeld() {
    if (references == DESTROYED) {
      throw new IllegalStateException("used after its last release: " + this);
    }
  }

  /// Keeps the task from running, also where it is already queued.
  public final void cancel() {
    cancelled = true;
  }

  public final boolean isCancelled() {
    return cancelled;
  }

  /// Runs the task unless it was cancelled, and releases the queue's reference.
  final void execute() {
    try {
      if (!cancelled) {
        run();
      }
    } finally {
      release();
    }
  }
}
