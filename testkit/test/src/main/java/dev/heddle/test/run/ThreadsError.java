// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// What the threads of a program waited for when its run was deadlocked. Added to the report of the
/// loop, which lists coroutines.
public final class ThreadsError extends Error {
  private static final long serialVersionUID = 1;

  ThreadsError(String threads) {
    super("the threads of the program, when nothing could go on:\n" + threads, null, false, false);
  }
}
