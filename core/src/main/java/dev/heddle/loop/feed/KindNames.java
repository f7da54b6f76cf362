// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import java.util.Locale;
import java.util.Map;

/// What a class is called among people who wait for its objects: `Channel$Waiters` is a channel.
public final class KindNames {
  private static final Map<String, String> KNOWN =
      Map.of(
          "CoroutineNode", "coroutine",
          "ScopeWaiters", "members of a scope",
          "TimerEvent", "timer",
          "PollEvent", "I/O",
          "TaskTable", "task group",
          "RemoteEvent", "another thread",
          "ExportedFuture", "future",
          "EventStream", "stream",
          "ConcurrentIteration", "workers of an iteration");

  private static final String JDK = "java.";

  private KindNames() {}

  public static String of(Class<?> type) {
    Class<?> outermost = type;
    for (Class<?> outer = type.getEnclosingClass(); outer != null; ) {
      outermost = outer;
      outer = outer.getEnclosingClass();
    }
    String name = outermost.getSimpleName();
    String known = KNOWN.get(name);
    if (known != null || type.getName().startsWith(JDK)) {
      return known == null ? name : known;
    }
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }
}
