// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Extends the traces of failures that come from calls on another thread, where the waiting caller
/// receives them.
///
/// The trace of such a failure ends at the bottom of the other thread and names no line of the
/// caller. This class appends the caller's frames, as if there had been no other thread: below the
/// frames of the call comes one line that marks the boundary, then the frames of the caller.
public final class CrossThreadTraces {
  /*
   * The throwable stays the same object. The caller's `catch` and the operator's log need its type,
   * message, cause, suppressed exceptions and fields, and no constructor can be trusted to copy
   * them (an SQLException would lose its state; a library's own type has an unknown constructor).
   * Only its list of frames is replaced.
   *
   * What is cut off: the frames of the worker thread's machinery, or the frames that an earlier
   * call of this method has appended. So a failure that is thrown to several callers, one after the
   * other, names each time the current one, and never grows.
   *
   * Threads. The caller's, after its wait; never in a tick, because a user's throwable may override
   * methods.
   *
   * I1. All frames of the call are kept, in order, and those of the caller follow.
   *     [CallersLineTest]
   * I2. However often a failure is thrown, its trace has the frames of one caller.
   *     [CrossThreadTracesTest]
   * I3. A throwable that cannot be changed (no writable trace, methods that throw) is thrown as it
   *     is. [CrossThreadTracesTest]
   *
   * Cost. A stack walk and a copy of both traces for each failure; nothing for a call that
   * succeeds.
   *
   * Rejected, in decision 0028: a copy, a wrapper, a suppressed exception, the caller's frames in
   * the report only.
   */
  private static final StackTraceElement BOUNDARY =
      new StackTraceElement(
          CrossThreadTraces.class.getName(), "calledFrom", "the caller's own thread", -1);

  private static final StackTraceElement[] NO_FRAMES = {};
  private static final String WORKER = "dev.heddle.thread.worker.OffloadedCall";
  private static final String TASK = "java.util.concurrent.FutureTask"; // between worker and call

  private CrossThreadTraces() {}

  /// Appends the frames of the current thread to the trace of a failure from another thread.
  public static <E extends Throwable> E appendCallerTrace(E failure) {
    try {
      if (failure instanceof CoroutineException wrapper) {
        append(wrapper, NO_FRAMES); // it was created where the outcome arrived, maybe in a tick
        Throwable checked = wrapper.getCause();
        if (checked != null) {
          append(checked, own(checked));
        }
      } else if (!(failure instanceof Cancellation)) {
        append(failure, own(failure));
      }
    } catch (RuntimeException | Error _) {
      // safe: a throwable that cannot return its trace, or accepts none, is thrown as it is
    }
    return failure;
  }

  /// Does the same for a failure that may already have been thrown to another caller: only if it
  /// comes from a worker thread and names no caller yet.
  public static void appendAwaiterTrace(Throwable failure) {
    try {
      Throwable thrown = failure instanceof CoroutineException ? failure.getCause() : failure;
      if (thrown != null && namesNoCaller(thrown.getStackTrace())) {
        appendCallerTrace(failure);
      }
    } catch (RuntimeException | Error _) {
      // safe: as above
    }
  }

  /// Gives a failure of a driver or a runtime thread the trace of the current thread, below the
  /// frames of a worker thread if it has any. A failure that was created in a tick has the frames
  /// of the coroutine on whose stack the tick ran.
  ///
  /// @param failure created for this caller alone
  /// @return `failure`
  public static <E extends Throwable> E replaceTrace(E failure) {
    try {
      StackTraceElement[] own = own(failure);
      append(failure, own.length == failure.getStackTrace().length ? NO_FRAMES : own);
    } catch (RuntimeException | Error _) {
      // safe: as above
    }
    return failure;
  }

  private static void append(Throwable failure, StackTraceElement[] own) {
    List<StackTraceElement> trace = new ArrayList<>(Arrays.asList(own));
    if (own.length > 0) {
      trace.add(BOUNDARY);
    }
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      if (!frame.getClassName().equals(BOUNDARY.getClassName())) {
        trace.add(frame);
      }
    }
    failure.setStackTrace(trace.toArray(StackTraceElement[]::new));
  }

  private static StackTraceElement[] own(Throwable failure) {
    StackTraceElement[] frames = failure.getStackTrace();
    return Arrays.copyOf(frames, ownFrames(frames));
  }

  private static boolean namesNoCaller(StackTraceElement[] frames) {
    int own = ownFrames(frames);
    return own < frames.length && !frames[own].equals(BOUNDARY);
  }

  /// The number of frames of the call itself: those above the worker's, or above an earlier
  /// caller's.
  private static int ownFrames(StackTraceElement[] frames) {
    for (int i = 0; i < frames.length; i++) {
      if (frames[i].equals(BOUNDARY)) {
        return i;
      }
    }
    for (int i = frames.length - 1; i >= 0; i--) {
      if (frames[i].getClassName().equals(WORKER)) {
        return aboveTheTask(frames, i);
      }
    }
    return frames.length;
  }

  private static int aboveTheTask(StackTraceElement[] frames, int worker) {
    int own = worker;
    while (own > 0 && frames[own - 1].getClassName().equals(TASK)) {
      own--;
    }
    return own;
  }
}
