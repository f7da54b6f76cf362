// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Failures of calls that were made on another thread, thrown where the caller waited for them.
///
/// The trace of such a failure ends at the bottom of the other thread and names no line of the
/// caller. Here it goes on where the caller called, as it would had there been no other thread:
/// below the frames of the call comes one line that says so, then the frames of the caller.
public final class AnotherThread {
  /*
   * The throwable stays the same object: its type, message, cause, suppressed ones and fields are what the caller's `catch` and
   * the operator's log need, and no constructor can be trusted to copy them (a SQLException loses its state, a type of a library's
   * own has no constructor that we know). Only its list of frames is set anew.
   *
   * What is cut off is the machinery of the worker thread, or what an earlier call of this method has added: so a failure that is
   * thrown to several callers, one after the other, names each time the one that gets it, and never grows.
   *
   * Threads. The caller's, after its wait: never in a tick, for a throwable of the user's may have methods of its own.
   *
   * I1. The frames of the call itself are all kept, in order, and those of the caller follow. [CallersLineTest]
   * I2. However often it is thrown, the trace has the frames of one caller. [AnotherThreadTest]
   * I3. A throwable that refuses (no writable trace, methods that throw) is thrown as it is. [AnotherThreadTest]
   *
   * Cost. A stack walk and a copy of both traces for each failure; nothing for a call that succeeds.
   *
   * Rejected, in decision 0028: a copy, a wrapper, a suppressed exception, the caller's frames in the report only.
   */
  private static final StackTraceElement BOUNDARY =
      new StackTraceElement(
          AnotherThread.class.getName(), "calledFrom", "the caller's own thread", -1);

  private static final StackTraceElement[] NO_FRAMES = {};
  private static final String WORKER = "dev.heddle.thread.worker.Work";
  private static final String TASK = "java.util.concurrent.FutureTask"; // between worker and call

  private AnotherThread() {}

  /// Lets the trace of what a call on another thread has thrown go on in the current thread.
  ///
  /// @return `failure`
  public static <E extends Throwable> E calledFromHere(E failure) {
    try {
      if (failure instanceof CoroutineFailure wrapper) {
        goOn(wrapper, NO_FRAMES); // it was made where the answer came in, maybe in a tick
        Throwable checked = wrapper.getCause();
        if (checked != null) {
          goOn(checked, own(checked));
        }
      } else if (!(failure instanceof Cancellation)) {
        goOn(failure, own(failure));
      }
    } catch (RuntimeException | Error _) {
      // safe: a throwable that cannot say its trace, or takes none, is thrown as it is
    }
    return failure;
  }

  /// Does the same for a failure that may have been thrown to others before: only if it comes from
  /// a worker thread and names no caller yet.
  public static void awaitedHere(Throwable failure) {
    try {
      Throwable thrown = failure instanceof CoroutineFailure ? failure.getCause() : failure;
      if (thrown != null && namesNoCaller(thrown.getStackTrace())) {
        calledFromHere(failure);
      }
    } catch (RuntimeException | Error _) {
      // safe: as above
    }
  }

  /// Gives what a driver or a thread of the runtime's has answered the trace of the current thread,
  /// below the frames of a worker thread if it has any. An answer that came in a tick has frames of
  /// whichever coroutine ran that.
  ///
  /// @param failure made for this caller alone
  /// @return `failure`
  public static <E extends Throwable> E answeredHere(E failure) {
    try {
      StackTraceElement[] own = own(failure);
      goOn(failure, own.length == failure.getStackTrace().length ? NO_FRAMES : own);
    } catch (RuntimeException | Error _) {
      // safe: as above
    }
    return failure;
  }

  private static void goOn(Throwable failure, StackTraceElement[] own) {
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

  /// How many frames are the call's: those above the worker's, or above an earlier caller's.
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
