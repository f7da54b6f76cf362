// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.HeldMonitors;
import dev.heddle.scheduler.context.LockOwners;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds the monitors for which threads of a loop wait, and their owners.
///
/// The loop reads its own threads first. An owner that is none of these is searched among the
/// platform threads, on another thread, since the JDK takes locks for that. A thread in
/// `Object.wait` has released one of its monitors, and the JDK may not report which: it is then
/// assumed to be one that another thread holds, else none.
final class MonitorOwners {
  static final MonitorOwners UNKNOWN = new MonitorOwners();

  private static final long LONGEST = 500_000_000; // ns; the loop is blocked meanwhile

  private final Map<Long, Object> awaited = new HashMap<>(); // by the thread's id
  private final IdentityHashMap<Object, Long> holders = new IdentityHashMap<>();
  private final Map<Thread, List<Object>> doubtful = new HashMap<>(); // one is released
  private final Map<Long, String> names = new HashMap<>(); // of platform threads
  private final List<String> unavailable = new ArrayList<>();

  private MonitorOwners() {}

  /// Reads what the threads of a loop wait for and hold. On its trampoline, where none is mounted.
  static MonitorOwners of(CoroutineTree tree) {
    MonitorOwners found = new MonitorOwners();
    if (!HeldMonitors.isSupported()) {
      found.unavailable.add(
          "The JDK reports monitor owners only with --add-opens java.base/jdk.internal.vm="
              + LockOwners.opensTo()
              + ".");
      return found;
    }
    try {
      found.readAll(tree);
    } catch (RuntimeException | LinkageError e) {
      found.failed(e);
    }
    return found;
  }

  private void readAll(CoroutineTree tree) {
    long until = System.nanoTime() + LONGEST;
    List<Thread> others = new ArrayList<>();
    for (CoroutineNode<?> coroutine : tree.coroutines()) {
      ExecutionContext context = coroutine.context();
      if (context == null) {
        continue;
      }
      Thread thread = context.thread();
      if (thread.getState() == Thread.State.BLOCKED && System.nanoTime() < until) {
        read(thread);
      } else {
        others.add(thread);
      }
    }
    for (Thread thread : others) {
      if (!isHolderMissing() && doubtful.isEmpty()) {
        return;
      }
      if (System.nanoTime() >= until) {
        unavailable.add("Monitor owners were read for some coroutines only: there are too many.");
        return;
      }
      read(thread);
    }
  }

  private void read(Thread thread) {
    HeldMonitors monitors = HeldMonitors.of(thread);
    if (monitors.awaited() != null) {
      awaited.put(thread.threadId(), monitors.awaited());
    }
    if (monitors.leftOne()) {
      doubtful.put(thread, monitors.held());
      return;
    }
    for (Object monitor : monitors.held()) {
      holders.put(monitor, thread.threadId());
    }
  }

  private boolean isHolderMissing() {
    return !holders.keySet().containsAll(awaited.values());
  }

  /// Searches the platform threads for owners that are no coroutines. Not on the loop's thread.
  void readPlatformThreads() {
    try {
      if (isHolderMissing() || !doubtful.isEmpty()) {
        findHolders();
        doubtful.forEach(this::decide);
      }
      if (isHolderMissing()) {
        unavailable.add(
            "A monitor is held by none of these coroutines and by no platform thread; the JDK"
                + " does not report which other virtual thread holds it.");
      }
    } catch (RuntimeException | LinkageError e) {
      failed(e);
    }
  }

  private void decide(Thread thread, List<Object> some) {
    long id = thread.threadId();
    for (Object monitor : some) {
      long holder = holders.computeIfAbsent(monitor, _ -> id);
      if (holder != id && thread.getState() == Thread.State.BLOCKED) {
        awaited.put(id, monitor);
      }
    }
  }

  private void findHolders() {
    Map<String, Object> sought = new HashMap<>();
    List<Object> some = new ArrayList<>(awaited.values());
    doubtful.values().forEach(some::addAll);
    for (Object monitor : some) {
      if (!holders.containsKey(monitor)) {
        sought.put(AwaitedLock.named(monitor), monitor);
      }
    }
    for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, false)) {
      LockInfo left = thread.getLockInfo(); // released by Object.wait, or not entered yet
      for (MonitorInfo held : thread.getLockedMonitors()) {
        Object monitor = sought.get(held.toString());
        if (monitor != null && (left == null || !held.toString().equals(left.toString()))) {
          holders.put(monitor, thread.getThreadId());
          names.put(thread.getThreadId(), thread.getThreadName());
        }
      }
    }
  }

  private void failed(Throwable why) {
    unavailable.add("Monitor owners could not be read: " + why + ".");
  }

  /// The monitor that a thread waits to enter; null: none.
  @Nullable Object awaitedBy(Thread thread) {
    return awaited.get(thread.threadId());
  }

  /// The id of the thread that owns a monitor; null: unknown.
  @Nullable Long holderOf(Object monitor) {
    return holders.get(monitor);
  }

  /// The name of a platform thread; null: unknown.
  @Nullable String nameOf(long thread) {
    return names.get(thread);
  }

  List<String> unavailable() {
    return unavailable;
  }
}
