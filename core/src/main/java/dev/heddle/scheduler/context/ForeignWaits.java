// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

/// Determines which waits of the JDK an interrupt ends.
///
/// `lock()`, `join()` of a future and similar calls continue to wait when they are interrupted, and
/// leave the flag set for the code after them. The JDK does not report in which kind of wait a
/// thread is parked, but its frames show it. They are read only where the blocker belongs to
/// `java.util.concurrent`: sleeps, sockets and `Object.wait` have no blocker, and all of them end.
public final class ForeignWaits {
  /// The result of an attempt to end a foreign wait by an interrupt.
  public enum End {
    /// Not interrupted: an interrupt does not end that wait, or it is already over.
    STILL_WAITING,
    /// Only the interrupt has ended the wait. The wait reports it if the context runs at once,
    /// before others; no arrival follows.
    BY_INTERRUPT,
    /// As [#BY_INTERRUPT], but another thread may have handed over a value just before: the wait
    /// then returns that value and leaves the flag set.
    AMBIGUOUS,
    /// Interrupted; others may end the wait, too, but it reports the interrupt in any case.
    INTERRUPT_SEEN,
    /// Interrupted; others may end the wait before the coroutine runs. The wait has reported the
    /// interrupt if the flag is clear afterwards.
    UNDECIDED
  }

  private static final String ROOM = "java.util.concurrent.";

  // methods that continue to wait when they are interrupted; waits in all other methods end
  private static final Map<String, Set<String>> UNINTERRUPTIBLE =
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

  /// Whether another thread may hand over a value in the wait in which the JDK has parked `parked`.
  static boolean isHandOff(Thread parked) {
    return LockSupport.getBlocker(parked) != null // sleeps, sockets and monitors have none
        || VirtualThreads.isInObjectWait(parked);
  }

  /// Whether an interrupt ends the foreign wait in which the JDK has parked `parked`. Called on the
  /// carrier: it may read the stack.
  static boolean endByInterrupt(Thread parked) {
    Object blocker = LockSupport.getBlocker(parked);
    if (blocker == null) {
      return switch (parked.getState()) {
        case WAITING, TIMED_WAITING -> true;
        default -> false; // it waits for a monitor, or another thread has just resumed it
      };
    }
    boolean ofTheJdk =
        blocker instanceof AbstractOwnableSynchronizer
            || blocker.getClass().getName().startsWith(ROOM);
    return !ofTheJdk || endByInterrupt(parked.getStackTrace());
  }

  /// Whether the wait in these frames, innermost first, reports an interrupt whatever has ended it:
  /// a sleep, which no other thread ends, and a socket or channel, which the interrupt closes.
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

  /// Whether an interrupt ends the wait in these frames, innermost first.
  static boolean endByInterrupt(StackTraceElement[] frames) {
    boolean acquires = false; // in acquire() of a synchronizer, whose caller decides how it waits
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
        return false; // a condition that reacquires its lock, or a lock inside another class
      } else if (of.startsWith("locks.AbstractQueued") && of.endsWith("$ConditionObject")) {
        return !frame.getMethodName().equals("awaitUninterruptibly");
      } else if (UNINTERRUPTIBLE.getOrDefault(of, Set.of()).contains(frame.getMethodName())) {
        return false;
      }
    }
    return !acquires;
  }
}
