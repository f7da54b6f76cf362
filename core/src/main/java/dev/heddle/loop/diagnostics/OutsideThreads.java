// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.ProgramFrames;
import java.util.Arrays;
import java.util.List;

/// Searches the platform threads of the JVM for one that may wake a coroutine of a loop whose
/// coroutines wait in the JDK: a thread that runs, or will run by itself.
///
/// Not counted: a thread that waits without a limit, since another one would have to wake it first;
/// the JVM's own threads; idle workers of pools; Heddle's own threads; those of a test harness. A
/// thread that waits for a process to end may be woken from outside, and counts.
///
/// Virtual threads of other schedulers are not seen: the JDK has no list of them.
///
/// **Thread** the watchdog's: it takes locks, and one stack at a time.
final class OutsideThreads {
  private static final String FORK_JOIN_WORKER = "java.util.concurrent.ForkJoinPool.awaitWork";
  private static final String WORKER = "java.util.concurrent.ThreadPoolExecutor.getTask";
  private static final String DELAYED =
      "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue";

  // threads of the test harness
  private static final List<String> HARNESS =
      List.of("org.apache.maven.surefire.", "org.junit.", "org.gradle.", "com.intellij.rt.");

  private static final String HARNESS_TIMER = "junit-";

  private OutsideThreads() {}

  /// Whether there is such a thread; carriers of loops are checked separately.
  static boolean mayWake(List<Thread> carriers) {
    for (Thread thread : threads()) {
      boolean known = carriers.contains(thread) || thread == Thread.currentThread();
      if (!known && isOfTheProgram(thread) && mayRun(thread)) {
        return true;
      }
    }
    return false;
  }

  private static List<Thread> threads() {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    for (ThreadGroup above = root; above != null; above = above.getParent()) {
      root = above;
    }
    Thread[] found = new Thread[root.activeCount() * 2 + 16]; // threads may be started meanwhile
    return List.of(Arrays.copyOf(found, root.enumerate(found)));
  }

  // the JVM's own threads are in the root group, or in groups that are not below the program's
  private static boolean isOfTheProgram(Thread thread) {
    for (ThreadGroup group = thread.getThreadGroup(); group != null; group = group.getParent()) {
      if (group.getName().equals("main")) {
        return !thread.getName().startsWith(HARNESS_TIMER);
      }
    }
    return false;
  }

  private static boolean mayRun(Thread thread) {
    Thread.State state = thread.getState();
    if (state == Thread.State.NEW || state == Thread.State.TERMINATED) {
      return false;
    }
    StackTraceElement[] frames = thread.getStackTrace();
    if (frames.length == 0 || isOwnOrHarness(frames)) {
      return false;
    }
    return switch (state) {
      case WAITING, BLOCKED -> isIn(frames, "java.lang.Process");
      case TIMED_WAITING -> !isIdle(frames);
      case RUNNABLE, NEW, TERMINATED -> true;
    };
  }

  private static boolean isOwnOrHarness(StackTraceElement[] frames) {
    for (StackTraceElement frame : frames) {
      String name = frame.getClassName();
      if (!ProgramFrames.isJdk(name)) {
        return HARNESS.stream().anyMatch(name::startsWith)
            || (ProgramFrames.isRuntime(name) && !hasProgram(frames));
      }
    }
    return isIn(frames, "jdk.jfr.");
  }

  // a worker that waits for a delayed task continues when that is due
  private static boolean isIdle(StackTraceElement[] frames) {
    return isIn(frames, FORK_JOIN_WORKER) || (isIn(frames, WORKER) && !isIn(frames, DELAYED));
  }

  private static boolean hasProgram(StackTraceElement[] frames) {
    return Arrays.stream(frames).anyMatch(frame -> ProgramFrames.isProgram(frame.getClassName()));
  }

  private static boolean isIn(StackTraceElement[] frames, String start) {
    return Arrays.stream(frames)
        .anyMatch(frame -> (frame.getClassName() + "." + frame.getMethodName()).startsWith(start));
  }
}
