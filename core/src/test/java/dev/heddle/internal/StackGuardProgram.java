// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

/// Looks for stack in each of the last frames of one, and takes what a look has promised.
final class StackGuardProgram {
  private static final int LOOKS = 20_000; // so many that they are compiled, where they may be
  private static final int FRAMES = 24; // interpreted, of some 100 bytes: more than half of 4 KiB

  private final boolean ample;
  private int kept;
  private int broken;
  private boolean promised;

  private StackGuardProgram(boolean ample) {
    this.ample = ample;
  }

  /// Says `sound` when looks have promised something, and never too much.
  public static void main(String[] args) throws InterruptedException {
    for (int i = 0; i < LOOKS; i++) {
      StackGuard.requireRoom();
      StackGuard.requireAmpleRoom();
    }
    StackGuardProgram program = new StackGuardProgram(args[0].equals("ample"));
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
    if (ample) {
      StackGuard.requireAmpleRoom();
    } else {
      StackGuard.requireRoom();
    }
    promised = true;
    take(FRAMES);
    promised = false;
    kept++;
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
