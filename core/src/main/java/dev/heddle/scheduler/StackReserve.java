// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Tells whether a coroutine's stack has room for the scheduler's work.
///
/// Java cannot ask for the stack pointer, so this goes down a few frames wider than any of a tick's
/// and comes back: about 20 ns, paid only when a tick has work to do.
public final class StackReserve {
  // frames of at least 150 bytes compiled: deeper than work() ever gets, interpreted ones included
  private static final int TO_WORK = 24;
  // subscribe, start, arm, and what a timer's place takes: six frames
  private static final int TO_ARM = 8;

  private StackReserve() {}

  /// Refuses to begin what must not stop half-way.
  ///
  /// @throws StackOverflowError when the stack is about to end
  public static void require() {
    if (!isThere()) {
      throw new StackOverflowError("no stack left to begin this on");
    }
  }

  /// Whether a tick's work fits.
  static boolean isThere() {
    return fits(TO_WORK);
  }

  /// Whether arming an event fits.
  static boolean isThereToArm() {
    return fits(TO_ARM);
  }

  private static boolean fits(int frames) {
    try {
      return descend(frames, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) != 0;
    } catch (StackOverflowError _) {
      // safe: nothing has been touched yet; the trampoline does the work on its own stack
      return false;
    }
  }

  private static long descend(
      int left,
      long a,
      long b,
      long c,
      long d,
      long e,
      long f,
      long g,
      long h,
      long i,
      long j,
      long k,
      long l) {
    return left == 0 ? a + f + l : descend(left - 1, b, c, d, e, f, g, h, i, j, k, l, a) | 1;
  }
}
