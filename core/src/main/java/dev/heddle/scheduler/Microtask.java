// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// A small piece of the runtime's own work, done in a tick before the next coroutine runs.
///
/// Not for user code: it runs on whatever stack is suspending, so it takes no lock, blocks on
/// nothing, depends on nothing that is bound to a thread, and is over at once.
///
/// **Thread** the loop's. **Order** first in, first out; at most 1,024 a tick. An exception ends
/// the tick's microtasks and becomes the loop's exit exception; the rest stay queued for the next
/// tick.
public abstract class Microtask {
  /*
   * Who holds a microtask: each place in the queue, and its maker if it keeps it for longer (retain). With the last of them
   * destroy() runs, exactly once, whatever became of the task: it ran, it threw, it was cancelled, or the loop ended first.
   *
   * States.  from       event                                to
   *          HELD(n)    post(), retain()                     HELD(n + 1)
   *          HELD(n)    taken out of the queue, release()    HELD(n - 1)
   *          HELD(1)    taken out of the queue, release()    DESTROYED
   * A task may stand in the queue more than once and then runs more than once. Everything else throws.
   */
  private static final int DESTROYED = -1;

  // loop only
  private int references;
  private boolean cancelled;

  /// Held by nobody yet.
  protected Microtask() {}

  /// Does the work.
  protected abstract void run();

  /// Gives back what the task holds: nobody refers to it any more. Throws nothing.
  protected void destroy() {}

  /// One more refers to it.
  ///
  /// @throws IllegalStateException when it is destroyed already
  public final void retain() {
    checkHeld();
    references++;
  }

  /// One less refers to it.
  ///
  /// @throws IllegalStateException when it was released more often than retained
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

  /// It will not run any more, also where it is queued.
  public final void cancel() {
    cancelled = true;
  }

  /// Whether it will not run any more.
  public final boolean isCancelled() {
    return cancelled;
  }

  /// Taken out of the queue: its turn.
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
