// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// How a process ended, as far as another process can know it: only its parent is told the exit
/// code. Until the parent has asked for it, the system shows it to others of the same user, too.
/// Otherwise what is left is whether the JVM said that it shuts down.
final class ProcessEnd {
  private static final Path PROCESSES = Path.of("/proc");
  private static final int EXIT_CODE = 49; // fields after the state in /proc/PID/stat
  private static final int SIGNAL = 0x7f;
  private static final int CODE_SHIFT = 8;

  private static final Map<Integer, String> SIGNALS =
      Map.of(
          1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8,
          "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

  private ProcessEnd() {}

  /// Why it ended, as the rest of a sentence; empty when nothing is known.
  ///
  /// @param farewell what it has said
  static String describe(long pid, Farewell farewell) {
    return describe(PROCESSES, pid, farewell);
  }

  /// @param processes where the system shows them
  static String describe(Path processes, long pid, Farewell farewell) {
    String known = ofParentsStatus(processes.resolve(Long.toString(pid)));
    return known.isEmpty() ? farewell.words : known;
  }

  /// What a JVM says of its end.
  enum Farewell {
    /// It was not asked for one, or runs a Heddle that knows none.
    UNKNOWN(""),
    /// It would have said that it shuts down, and has not.
    NONE(" without saying that it shuts down: killed, halted, crashed, or too busy to say so"),
    /// It has said that it shuts down.
    SAID(": it shut down (its end, System.exit or a signal); only its parent knows the exit code");

    private final String words;

    Farewell(String words) {
      this.words = words;
    }
  }

  // what the system keeps until the parent has read it
  private static String ofParentsStatus(Path process) {
    try {
      String stat = Files.readString(process.resolve("stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).strip().split(" ");
      boolean isZombie = fields[0].equals("Z") || fields[0].equals("X");
      return isZombie && fields.length > EXIT_CODE
          ? inWords(Integer.parseInt(fields[EXIT_CODE]))
          : "";
    } catch (IOException | NumberFormatException _) {
      return ""; // nothing is left of it, or this is another system
    }
  }

  private static String inWords(int status) {
    int signal = status & SIGNAL;
    return signal == 0
        ? " with exit code " + (status >> CODE_SHIFT)
        : ", killed by " + SIGNALS.getOrDefault(signal, "signal " + signal);
  }
}
