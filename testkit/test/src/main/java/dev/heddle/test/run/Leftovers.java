// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import java.util.ArrayList;
import java.util.List;

/// What a loop has left behind at its end.
final class Leftovers {
  private Leftovers() {}

  static List<Finding> of(LoopRuntime loop) {
    List<Finding> all = new ArrayList<>();
    for (CoroutineNode<?> left : loop.tree().coroutines()) {
      if (!left.isDone()) {
        all.add(leak("abandoned: " + left.describe()));
      }
    }
    int timers = loop.scheduler().timers().size();
    if (timers > 0) {
      all.add(leak(timers + " timers are armed"));
    }
    return all;
  }

  static Finding leak(String what) {
    return new Finding(Finding.Kind.LEAK, what, null);
  }
}
