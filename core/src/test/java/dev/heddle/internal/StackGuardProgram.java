// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

/// Looks for stack in each of the last frames of one, and takes what a look has promised.
final class StackGuardProgram {
  private static final int LOOKS = 20_000; // so many that they are compiled, where they may be
  private static final int FRAMES = 24; // interpreted, of some 100 bytes: more than half of 4 KiB

  private final boolean onEntry;
  private final boolean ample;
  private final boolean question;
  private int kept;
  private int broken;
  private boolean promised;

  private StackGuardProgram(String look) {
    onEntry = look.equals("on entry");
    ample = look.equals("ample");
    question = look.equals("question");
  }

  /// Says `sound` when looks have promised something, and never too much.
  public static void main(String[] args) throws InterruptedException {
    for (int i = 0; i < LOOKS; i++) {
      StackGuard.requireRoomOnEntry();
      StackGuard.requireRoom();
      StackGuard.requireAmpleRoom();
      ask();
    }
    StackGuardProgram program = new StackGuardProgram(args[0]);
    Thread thread = new Thread(null, program::dive, "diver", 1 << 20);
    thread.start();
    thread.join();
    System.out.println(
        program.broken == 0 && program.kept > 0
            ? "sound"
            : "promises kept: " + program.kept + ", broken: " + program.broken);
  }

  private void dive() {
    try {
      dive();
    } catch (StackOverflowError _) {
      // safe: the end, or a look that has refused, or a broken promise, which is noted
    }
    lookAndTake();
  }

  private void lookAndTake() {
    if (promised) { // and the stack has ended
      promised = false;
      broken++;
    }
    if (onEntry) {
      StackGuard.requireRoomOnEntry();
    } else if (ample) {
      StackGuard.requireAmpleRoom();
    } else {
      StackGuard.requireRoom();
    }
    promised = true;
    if (question) {
      ask();
    } else {
      take(FRAMES);
    }
    promised = false;
    kept++;
  }

  // a method of its own: compiled, with what may be inlined
  private static boolean ask() {
    try {
      StackGuard.requireAmpleRoom();
      return StackGuard.hasAmpleRoom();
    } catch (StackOverflowError _) {
      return false;
    }
  }

  /// Ends as far down as what is begun does.
  private void take(int frames) {
    if (frames > 0) {
      take(frames - 1);
    } else if (ample) {
      StackGuard.requireRoom();
    }
  }
}
