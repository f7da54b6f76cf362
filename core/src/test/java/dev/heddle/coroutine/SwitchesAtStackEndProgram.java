// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import java.time.Duration;

/// Switch handlers beside waits in whose middle the stack ends, each a frame's size later in its
/// course; for the interpreter only, as `StackEndProgram` says.
final class SwitchesAtStackEndProgram {
  private final Parity first = new Parity();
  private final Parity second = new Parity();
  private int overflows;
  private boolean waited;

  private SwitchesAtStackEndProgram() {}

  /// Says how many calls the handlers have missed.
  public static void main(String[] args) {
    SwitchesAtStackEndProgram program = new SwitchesAtStackEndProgram();
    HeddleOptions small =
        HeddleOptions.defaults().withStackSize(256 << 10).withHoldLimit(Duration.ZERO);
    Loop.start(small, program::run).join();
  }

  private Object run() {
    Heddle.background("beside", SwitchesAtStackEndProgram::suspendForEver);
    Heddle.addSwitchHandler(first);
    Heddle.addSwitchHandler(second);
    Heddle.yieldNow(); // loads what it needs while there is room
    try {
      return dive();
    } catch (StackOverflowError _) {
      // a call that found no stack is missed by its handler only
      boolean sound = waited && first.missed() <= overflows && second.missed() <= overflows;
      System.out.println(
          (sound ? "sound: " : "unsound: ")
              + overflows
              + " overflows, missed "
              + first.missed()
              + " and "
              + second.missed());
      return "over";
    }
  }

  private int dive() {
    try {
      return dive() + 1;
    } catch (StackOverflowError e) {
      if (!waited) {
        overflows++;
        Heddle.yieldNow();
        waited = true;
      }
      throw e;
    }
  }

  private static void suspendForEver() {
    while (true) {
      Heddle.yieldNow();
    }
  }
}
