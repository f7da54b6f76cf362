// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

/// Tells which waits of the JDK an interrupt ends.
///
/// `lock()`, `join()` of a future and their like go on waiting when they are interrupted, and leave
/// the flag set for whatever comes after them. The JDK says nowhere which kind a thread is parked
/// in; its frames do. So they are read, but only where the blocker is of `java.util.concurrent`:
/// sleeps, sockets and `Object.wait` have none, and all of them end.
public final class ForeignWaits {
  /// What has become of a wait that was to be ended by an interrupt.
  public enum End {
    /// It was not interrupted: an interrupt does not end it, or it is over already.
    GOES_ON,
    /// The interrupt has let it go on, and nobody else: it has felt the interrupt if its context
    /// runs at once, before others. That arrives nowhere else.
    BY_INTERRUPT,
    /// The same, of a wait in which another thread may have handed over something just before: then
    /// it returns that, and leaves the flag set.
    IN_DOUBT,
    /// It was interrupted, and others may let it go on; it feels the interrupt all the same.
    FELT,
    /// It was interrupted, and others may end it before it has run. It has felt the interrupt if
    /// the flag is found cleared afterwards.
    UNDECIDED
  }

  private static final String ROOM = "java.util.concurrent.";

  // the entries of a class that wait on although they were interrupted; all others end
  private static final Map<String, Set<String>> STUBBORN =
      Map.of(
          "CompletableFuture", Set.of("join"),
          "ForkJoinTask", Set.of("join", "invoke", "invokeAll", "quietlyJoin", "quietlyInvoke"),
          "ConcurrentHashMap$TreeBin", Set.of("contendedLock"),
          "Phaser", Set.of("awaitAdvance", "arriveAndAwaitAdvance"),
          "locks.StampedLock", Set.of("readLock", "writeLock"));

  private static final Set<String> SYNCHRONIZERS =
      Set.of("locks.AbstractQueuedSynchronizer", "locks.AbstractQueuedLongSynchronizer");
  private static final Set<String> ENDING =
      Set.of(
          "acquireInterruptibly",
          "acquireSharedInterruptibly",
          "tryAcquireNanos",
          "tryAcquireSharedNanos");

  private ForeignWaits() {}

  /// Whether others may hand over something in the wait that the JDK has parked a thread in.
  static boolean takesFromOthers(Thread parked) {
    return LockSupport.getBlocker(parked) != null // sleeps, sockets and monitors have none
        || VirtualThreads.isInObjectWait(parked);
  }

  /// Whether an interrupt ends the wait that the JDK has parked a context's guest in. Carrier only.
  static boolean endByInterrupt(ExecutionContext parked) {
    Object blocker = LockSupport.getBlocker(parked.thread());
    if (blocker == null) {
      return switch (parked.thread().getState()) {
        case WAITING, TIMED_WAITING -> true;
        default -> false; // it waits for a monitor, or another thread has let it go on just now
      };
    }
    boolean ofTheJdk =
        blocker instanceof AbstractOwnableSynchronizer
            || blocker.getClass().getName().startsWith(ROOM);
    return !ofTheJdk || endByInterrupt(parked.stackOnLoop());
  }

  /// Whether what waits in these frames, the innermost first, feels an interrupt whoever has woken
  /// it: a sleep, which nobody else ends, and a socket or a channel, which is closed.
  static boolean endsForSure(StackTraceElement[] frames) {
    for (StackTraceElement frame : frames) {
      String type = frame.getClassName();
      if (type.startsWith("sun.nio.ch.")
          || (type.equals("java.lang.Thread") && frame.getMethodName().startsWith("sleep"))) {
        return true;
      }
      if (!type.startsWith("java.") && !type.startsWith("jdk.")) {
        return false;
      }
    }
    return false;
  }

  /// Whether an interrupt ends the wait of these frames, the innermost first.
  static boolean endByInterrupt(StackTraceElement[] frames) {
    boolean acquires = false; // a synchronizer's acquire(), which is told by its caller how to wait
    for (StackTraceElement frame : frames) {
      String type = frame.getClassName();
      if (!type.startsWith("java.") && !type.startsWith("jdk.")) {
        return !acquires;
      }
      String of = type.startsWith(ROOM) ? type.substring(ROOM.length()) : "";
      if (SYNCHRONIZERS.contains(of)) {
        if (!frame.getMethodName().equals("acquire")) {
          return ENDING.contains(frame.getMethodName());
        }
        acquires = true;
      } else if (acquires) {
        return false; // a condition that takes its lock again, a lock that a class is written with
      } else if (of.startsWith("locks.AbstractQueued") && of.endsWith("$ConditionObject")) {
        return !frame.getMethodName().equals("awaitUninterruptibly");
      } else if (STUBBORN.getOrDefault(of, Set.of()).contains(frame.getMethodName())) {
        return false;
      }
    }
    return !acquires;
  }
}
