// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.capture;

import java.io.PrintStream;

/// Replaces `System.out` and `System.err` of the JVM while captures are open.
///
/// **Thread** any but a carrier; a coroutine waits for the lock as for any monitor.
final class StandardStreams {
  private static final StandardStreams OF_PROCESS = new StandardStreams();

  // guarded by this
  private int captures;

  private StandardStreams() {}

  /// Acquires the streams; each call must be paired with a release.
  static void acquire() {
    synchronized (OF_PROCESS) {
      OF_PROCESS.captures++;
      install(); // always: other code may have set new streams
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

  // a stream that other code has set meanwhile stays
  private static void restore() {
    if (System.out instanceof DispatchingStream ours) {
      System.setOut(ours.below());
    }
    if (System.err instanceof DispatchingStream ours) {
      System.setErr(ours.below());
    }
  }
}
