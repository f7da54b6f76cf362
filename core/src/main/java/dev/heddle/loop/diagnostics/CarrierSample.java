// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.ProgramFrames;
import dev.heddle.observe.HoldReport.Activity;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.scheduler.Scheduler;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A sample, taken from another thread, of a carrier on which no coroutine is mounted: it sleeps in
/// its driver, works for the loop, or is inside a callback that a driver or a task of the loop has
/// called.
///
/// @param activity its activity
/// @param cause the cause, and whether it is one-time work of the JVM
/// @param waits whether it waits for a lock or an event
/// @param stack its frames, the innermost first
record CarrierSample(
    Activity activity, HoldCause cause, boolean waits, List<StackTraceElement> stack) {

  // Netty's methods that wait for the system; all other Netty frames call them or are called by
  // them
  private static final List<String> DRIVER_WAITS =
      List.of(
          "io.netty.channel.epoll.Native",
          "io.netty.channel.uring.Native",
          "io.netty.channel.kqueue.Native",
          "io.netty.channel.nio.");

  static CarrierSample at(Thread carrier) {
    boolean sleeps = sleepsInDriver(carrier);
    Thread.State state = carrier.getState();
    StackTraceElement[] frames = carrier.getStackTrace();
    boolean waits = !sleeps && state != Thread.State.RUNNABLE;
    HoldCause cause = HoldCause.of(frames, false);
    if (sleeps) {
      cause = of(Activity.LOOP);
    } else if (waits) {
      cause = of(Activity.WAITING);
    } else if (!cause.isStartUp()) {
      cause = of(isInCallback(frames) ? Activity.CALLBACK : Activity.LOOP);
    }
    return new CarrierSample(
        cause.activity(),
        cause,
        waits,
        Arrays.stream(frames).map(ProgramFrames::shortened).toList());
  }

  private static HoldCause of(Activity activity) {
    return new HoldCause(activity, true, false);
  }

  /// Whether it waits for the system or for a wake-up. A driver calls callbacks before it marks the
  /// loop as awake, so only the stack distinguishes the two. **Cost** some nanoseconds if it is
  /// parked, else some ten microseconds for its stack.
  static boolean sleepsInDriver(Thread carrier) {
    return switch (carrier.getState()) {
      case NEW, BLOCKED, TERMINATED -> false;
      case WAITING, TIMED_WAITING -> isDriver(LockSupport.getBlocker(carrier));
      case RUNNABLE -> isDriverWait(carrier.getStackTrace());
    };
  }

  private static boolean isDriver(@Nullable Object blocker) {
    return blocker instanceof ReactorDriver
        || (blocker != null && blocker.getClass().getName().startsWith("dev.heddle.netty."));
  }

  private static boolean isDriverWait(StackTraceElement[] frames) {
    for (StackTraceElement frame : frames) {
      String name = frame.getClassName();
      if (!ProgramFrames.isJdk(name)) {
        return ProgramFrames.isRuntime(name) || DRIVER_WAITS.stream().anyMatch(name::startsWith);
      }
    }
    return true; // only JDK frames: it is starting or ending
  }

  // frames above the trampoline's; those below belong to the starter of the loop
  private static boolean isInCallback(StackTraceElement[] frames) {
    int trampoline = frames.length;
    while (trampoline > 0 && !isTrampoline(frames[trampoline - 1])) {
      trampoline--;
    }
    return Arrays.stream(frames, 0, trampoline)
        .anyMatch(frame -> ProgramFrames.isProgram(frame.getClassName()));
  }

  private static boolean isTrampoline(StackTraceElement frame) {
    return frame.getClassName().equals(Scheduler.class.getName());
  }
}
