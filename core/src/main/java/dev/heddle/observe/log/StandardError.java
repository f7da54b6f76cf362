// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.log;

import dev.heddle.internal.DaemonThread;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// The standard error of the process, past `System.err`: for messages when nothing else works, for
/// example when a log handler hangs.
public final class StandardError {
  private static final long LONGEST_MILLIS = 250; // the reader may be stuck and the pipe full

  private StandardError() {}

  /// Writes `text`, waiting at most a quarter of a second. Takes no lock; the streams of [System]
  /// have one each. **Thread** any, with no coroutine mounted.
  public static void say(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      DaemonThread.start("heddle-last-words", () -> write(bytes)).join(LONGEST_MILLIS);
    } catch (OutOfMemoryError _) {
      write(bytes);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("resource") // the descriptor is the process's, and stays open
  private static void write(byte[] bytes) {
    try {
      new FileOutputStream(FileDescriptor.err).write(bytes);
    } catch (IOException _) {
      // safe: no channel is left to report that
    }
  }
}
