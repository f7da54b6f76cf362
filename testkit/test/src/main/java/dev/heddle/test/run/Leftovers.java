// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.TimerQueue;
import dev.heddle.scheduler.BornThreads;
import java.time.Duration;
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
    TimerQueue timers = loop.scheduler().timers();
    if (timers.size() == 0) {
      return List.of();
    }
    Duration first = Duration.ofNanos(timers.nextDeadline());
    return List.of(
        leak("%,d timers are armed, the first one for %s".formatted(timers.size(), first)));
  }

  /// @param shown the thread that the program knows
  /// @param body the virtual thread that runs it
  /// @param startedAt the line that has started it
  static Finding thread(Thread shown, Thread body, Object startedAt) {
    String name = shown.getName().isEmpty() ? ThreadReport.named(shown) : shown.getName();
    String report = ThreadReport.of(shown, body).replace("\n", "\n    ");
    return leak(
        "a thread runs: %s, started at %s\n    %s"
            .formatted(name, SpawnSites.describe(startedAt), report));
  }

  /// Has the JDK forget the threads, which never continue.
  static void forgetThreads(LoopRuntime loop) {
    BornThreads threads = loop.scheduler().bornThreads();
    if (threads != null) {
      threads.drop(Runnable::run);
    }
  }

  static Finding leak(String what) {
    return new Finding(Finding.Kind.LEAK, what, null);
  }
}
