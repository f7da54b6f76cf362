// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.log;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// The standard error of the process, past `System.err`: for what is said when nothing else works
/// any more, a log that hangs among it.
public final class StandardError {
  private static final long LONGEST_MILLIS = 250; // nobody may read what the system buffers no more

  private StandardError() {}

  /// Writes `text`, and waits for that a quarter of a second at most. Takes no lock, of which the
  /// streams of [System] have one each. **Thread** any, with no coroutine mounted.
  public static void say(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      Thread writer =
          Thread.ofPlatform()
              .daemon()
              .inheritInheritableThreadLocals(false)
              .name("heddle-last-words")
              .start(() -> write(bytes));
      writer.join(LONGEST_MILLIS);
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
      // safe: nowhere is left to say that
    }
  }
}
