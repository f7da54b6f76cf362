// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.capture;

import java.io.PrintStream;

/// `System.out` and `System.err` of the process, which are replaced while captures are open.
///
/// **Thread** any; a coroutine that finds another thread here waits as in any code of the JDK, and
/// no carrier comes here.
final class StandardStreams {
  private static final StandardStreams OF_PROCESS = new StandardStreams();

  // guarded by this
  private int captures;

  private StandardStreams() {}

  /// Lets coroutines capture, until it is released as often.
  static void acquire() {
    synchronized (OF_PROCESS) {
      OF_PROCESS.captures++;
      install(); // also beside others: somebody may have set new streams
    }
  }

  static void release() {
    synchronized (OF_PROCESS) {
      if (--OF_PROCESS.captures == 0) {
        restore();
      }
    }
  }

  private static void install() {
    PrintStream out = System.out;
    if (!(out instanceof DispatchingStream)) {
      System.setOut(new DispatchingStream(out, OutputCaptures::openOut));
    }
    PrintStream err = System.err;
    if (!(err instanceof DispatchingStream)) {
      System.setErr(new DispatchingStream(err, OutputCaptures::openErr));
    }
  }

  // what somebody else has set meanwhile stays
  private static void restore() {
    if (System.out instanceof DispatchingStream ours) {
      System.setOut(ours.below());
    }
    if (System.err instanceof DispatchingStream ours) {
      System.setErr(ours.below());
    }
  }
}
