// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.HeldMonitors;
import dev.heddle.scheduler.context.LockOwners;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which thread of a loop waits for which monitor, and who holds it. Monitors go by class and
/// identity, as the JDK prints them.
///
/// The loop looks at its own threads first; who holds what none of them does is sought among the
/// threads of the system, by another thread, since the JDK takes locks for that.
final class Monitors {
  /// Nobody was asked.
  static final Monitors UNKNOWN = new Monitors();

  private static final int MOST = 10_000; // coroutines; a look at one takes some ten microseconds

  private final Map<Long, String> awaited = new HashMap<>(); // by the thread's id
  private final Map<String, Long> holders = new HashMap<>();
  private final Map<Long, String> names = new HashMap<>(); // of threads of the system
  private final List<String> untold = new ArrayList<>();

  private Monitors() {}

  /// What the threads of a loop wait for and hold. On its trampoline: nobody can be mounted.
  static Monitors of(LoopRoot loop) {
    List<Thread> threads = new ArrayList<>();
    List<Thread> blocked = new ArrayList<>();
    for (CoroutineNode<?> coroutine : loop.coroutines()) {
      ExecutionContext context = coroutine.context();
      if (context != null) {
        threads.add(context.thread());
        if (context.thread().getState() == Thread.State.BLOCKED) {
          blocked.add(context.thread());
        }
      }
    }
    Monitors found = new Monitors();
    if (!blocked.isEmpty()) {
      found.ask(threads, blocked);
    }
    return found;
  }

  private void ask(List<Thread> threads, List<Thread> blocked) {
    if (!HeldMonitors.known()) {
      untold.add(
          "Who holds a monitor the JDK does not tell without --add-opens java.base/jdk.internal.vm="
              + LockOwners.opensTo()
              + ".");
    } else if (threads.size() > MOST) {
      untold.add("Who holds a monitor was not asked: there are more than " + MOST + " coroutines.");
    } else {
      for (Thread thread : blocked) {
        Object monitor = HeldMonitors.awaitedBy(thread);
        if (monitor != null) {
          awaited.put(thread.threadId(), DumpTaker.named(monitor));
        }
      }
      for (Thread thread : threads) {
        for (Object monitor : HeldMonitors.heldBy(thread)) {
          holders.put(DumpTaker.named(monitor), thread.threadId());
        }
      }
    }
  }

  /// Whether somebody waits for a monitor that nobody is known to hold.
  boolean isHolderMissing() {
    return !holders.keySet().containsAll(awaited.values());
  }

  /// Looks at the threads of the system. Not on the loop's.
  void askThreadsOfTheSystem() {
    for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, false)) {
      for (MonitorInfo monitor : thread.getLockedMonitors()) {
        if (holders.putIfAbsent(monitor.toString(), thread.getThreadId()) == null) {
          names.put(thread.getThreadId(), thread.getThreadName());
        }
      }
    }
    if (isHolderMissing()) {
      untold.add(
          "A monitor is held by none of these coroutines, and by no thread of the system; which other"
              + " virtual thread holds it cannot be told.");
    }
  }

  /// The monitor that a thread waits to enter, or null.
  @Nullable String awaitedBy(Thread thread) {
    return awaited.get(thread.threadId());
  }

  /// The id of the thread that holds a monitor, or null.
  @Nullable Long holderOf(String monitor) {
    return holders.get(monitor);
  }

  /// The name of a thread of the system, or null.
  @Nullable String nameOf(long thread) {
    return names.get(thread);
  }

  /// What could not be asked, in words.
  List<String> untold() {
    return untold;
  }
}
