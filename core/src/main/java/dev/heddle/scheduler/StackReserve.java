// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Tells whether a coroutine's stack has room for the scheduler's work.
///
/// Java cannot ask for the stack pointer, so this goes down a few frames and comes back. Paid at
/// each wait, and when a tick has work to do.
public final class StackReserve {
  /*
   * Width for nothing. A frame of compiled code has room for the arguments of the widest call that it may make, made or not. So each
   * frame on the way down may call last(), which takes 32, and only the lowest does: the others cost a call each, a few
   * nanoseconds. The lowest has to, else the optimising compiler would leave the call out, and its room.
   *
   *              a frame that goes down     on the way down    last()
   *   optimised  some 250 bytes             two in one         -
   *   C1         some 500                   each its own       -
   *   interpreted 110                       each its own       500
   *
   * What has to fit: a tick's work 1.6 KB, arming 0.8, what another module does at once 3.2; the closest is an optimised look
   * before interpreted work. [StackOverflowTest, StackEndTest]
   *
   * Rejected. Frames that hand their arguments on (24 longs, eight frames for a wait): ten times as long, all of it moving
   * arguments. A call that is hardly ever made: the frames could be wider still, but somebody has to count.
   */
  private static final int TO_WORK = 16;
  private static final int TO_ARM = 10; // subscribe, start, arm, and what a timer's place takes
  private static final int TO_BEGIN = 32; // with a look of its own for TO_WORK in it

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
      return descend(frames, 1) > 0;
    } catch (StackOverflowError _) {
      // safe: nothing has been touched yet; the trampoline does the work on its own stack
      return false;
    }
  }

  private static int descend(int left, int one) {
    return left == 0
        ? last(
            one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one,
            one, one, one, one, one, one, one, one, one, one, one, one, one, one, one)
        : descend(left - 1, one) + 1;
  }

  // of more than 35 bytes: called from a place so rarely reached, it is not compiled into its
  // caller, which would then be narrow (MaxInlineSize)
  private static int last(
      int p0,
      int p1,
      int p2,
      int p3,
      int p4,
      int p5,
      int p6,
      int p7,
      int p8,
      int p9,
      int p10,
      int p11,
      int p12,
      int p13,
      int p14,
      int p15,
      int p16,
      int p17,
      int p18,
      int p19,
      int p20,
      int p21,
      int p22,
      int p23,
      int p24,
      int p25,
      int p26,
      int p27,
      int p28,
      int p29,
      int p30,
      int p31) {
    return p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 + p10 + p11 + p12 + p13 + p14 + p15 + p16
        + p17 + p18 + p19 + p20 + p21 + p22 + p23 + p24 + p25 + p26 + p27 + p28 + p29 + p30 + p31;
  }
}
