// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Tells whether a coroutine's stack has room for the scheduler's work.
///
/// Java cannot ask for the stack pointer, so this goes down a few wide frames and comes back: each
/// costs a call and a touch of the stack's memory far below, so few wide ones cost less than many.
/// Paid at each wait, and when a tick has work to do.
public final class StackReserve {
  // two in one frame of some 200 bytes as the optimising compiler has it, 440 and 490 bytes each
  // before; the closest is a compiled look before interpreted work
  private static final int TO_WORK = 15;
  // subscribe, start, arm, and what a timer's place takes: six frames
  private static final int TO_ARM = 8;
  // work of another module's, with a look of its own for TO_WORK in it
  private static final int TO_BEGIN = 32;

  private StackReserve() {}

  /// Refuses to begin what must not stop half-way.
  ///
  /// @throws StackOverflowError when the stack is about to end
  public static void require() {
    if (!isThere()) {
      throw new StackOverflowError("no stack left to begin this on");
    }
  }

  /// Refuses to begin what must not stop half-way, and asks [#require] itself on its way.
  ///
  /// @throws StackOverflowError when the stack is about to end
  public static void requireAmple() {
    if (!fits(TO_BEGIN)) {
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
      return descend(
              frames, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
              23, 24)
          != 0;
    } catch (StackOverflowError _) {
      // safe: nothing has been touched yet; the trampoline does the work on its own stack
      return false;
    }
  }

  // a frame has room for all that it hands on
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
      long l,
      long m,
      long n,
      long o,
      long p,
      long q,
      long r,
      long s,
      long t,
      long u,
      long v,
      long w,
      long x) {
    return left == 0
        ? a + l + x
        : descend(left - 1, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, a)
            | 1;
  }
}
