// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.loop.LoopRuntime;
import java.util.ArrayList;
import java.util.List;

/// What a loop has left behind at its end.
final class Leftovers {
  private Leftovers() {}

  static List<Finding> of(LoopRuntime loop) {
    List<Finding> all = new ArrayList<>(coroutines(loop));
    all.addAll(timers(loop));
    return all;
  }

  static List<Finding> coroutines(LoopRuntime loop) {
    return loop.tree().coroutines().stream()
        .filter(left -> !left.isDone())
        .map(left -> leak("abandoned: " + left.describe()))
        .toList();
  }

  static List<Finding> timers(LoopRuntime loop) {
    int timers = loop.scheduler().timers().size();
    return timers == 0 ? List.of() : List.of(leak(timers + " timers are armed"));
  }

  static Finding leak(String what) {
    return new Finding(Finding.Kind.LEAK, what, null);
  }
}
