// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.observe.log.AsyncLog;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The modes of the controlling terminal, as `stty` prints them, which are restored at the JVM's
/// end.
///
/// **Thread** any but the carrier, including the JVM's shutdown hook.
final class TerminalModes {
  static final Path DEVICE = Path.of("/dev/tty");
  private static final long GUARD_SECONDS = 5; // stty is stopped in a background job

  private final String before;
  private final Thread hook = new Thread(this::restoreAtExit, "heddle-terminal");

  // guarded by this
  private boolean changed;

  private TerminalModes(String before) {
    this.before = before;
  }

  static TerminalModes current() throws IOException {
    return new TerminalModes(stty("-g"));
  }

  /// Changes the modes, until [#restore()].
  synchronized void change(String... modes) throws IOException {
    if (!changed) {
      changed = true; // set first: an interrupted change may have taken effect
      Runtime.getRuntime().addShutdownHook(hook);
    }
    stty(modes);
  }

  /// Restores the initial modes.
  synchronized void restore() throws IOException {
    if (changed) {
      stty(before);
      changed = false;
      removeHook();
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // safe: the JVM is ending, and the hook has nothing to do
    }
  }

  private void restoreAtExit() {
    try {
      restore();
    } catch (IOException e) {
      // loggers shut down at the same time
      AsyncLog.shared().stderrOnly("the terminal's modes were not restored; type: stty sane", e);
      AsyncLog.shared().flush();
    }
  }

  /// Runs `stty` on the terminal.
  static String stty(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    Process child =
        new ProcessBuilder(command)
            .redirectInput(Redirect.from(DEVICE.toFile()))
            .redirectErrorStream(true)
            .start();
    try {
      if (!child.waitFor(GUARD_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            String.join(" ", command)
                + " was stopped: a program in the background may not change its terminal");
      }
      String said =
          new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (child.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + said);
      }
      return said;
    } catch (InterruptedException e) {
      throw new InterruptedIOException(String.join(" ", command) + " was interrupted");
    } finally {
      child.destroyForcibly();
    }
  }
}
