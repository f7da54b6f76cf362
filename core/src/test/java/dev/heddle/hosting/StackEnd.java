// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

/// The end of the current stack.
public final class StackEnd {
  private StackEnd() {}

  /// Runs `action` where the stack ends, and again a frame above where that failed, until it fits.
  ///
  /// @return whether it did
  public static boolean runAt(Runnable action) {
    boolean done;
    try {
      done = runAt(action);
    } catch (StackOverflowError _) {
      done = false;
    }
    if (done) {
      return true;
    }
    try {
      action.run();
      return true;
    } catch (StackOverflowError _) {
      return false;
    }
  }
}
