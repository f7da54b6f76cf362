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

/// The modes of the controlling terminal, as `stty` knows them, and the promise that they are put
/// back.
///
/// **Thread** any but the loop's; also that of the JVM's end.
final class TerminalModes {
  static final Path DEVICE = Path.of("/dev/tty");
  private static final long GUARD_SECONDS =
      5; // it takes milliseconds; a job in the background is stopped

  private final String before;
  private final Thread hook = new Thread(this::restoreAtExit, "heddle-terminal");

  // guarded by this
  private boolean changed;

  private TerminalModes(String before) {
    this.before = before;
  }

  /// Those that are in force.
  static TerminalModes current() throws IOException {
    return new TerminalModes(stty("-g"));
  }

  /// Changes them, until [#restore()].
  synchronized void change(String... modes) throws IOException {
    if (!changed) {
      changed = true; // first: who is stopped half-way has changed something
      Runtime.getRuntime().addShutdownHook(hook);
    }
    stty(modes);
  }

  /// Puts back those that were in force at first.
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
      // safe: the JVM is ending, and the hook finds nothing to do
    }
  }

  private void restoreAtExit() {
    try {
      restore();
    } catch (IOException e) {
      // the loggers are shut down at the same time
      AsyncLog.shared().stderrOnly("the terminal was left as it is; type: stty sane", e);
      AsyncLog.shared().flush();
    }
  }

  /// Calls `stty` on the terminal.
  ///
  /// @return what it said
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
