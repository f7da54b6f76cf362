// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.util.Map;

/// The signal numbers of Linux on x86 and ARM.
final class LinuxSignals {
  static final int ESRCH = 3; // ESRCH

  static final int KILL = 9;
  static final int TERM = 15;

  private static final Map<String, Integer> NUMBERS =
      Map.ofEntries(
          Map.entry("HUP", 1),
          Map.entry("INT", 2),
          Map.entry("QUIT", 3),
          Map.entry("ABRT", 6),
          Map.entry("KILL", KILL),
          Map.entry("USR1", 10),
          Map.entry("USR2", 12),
          Map.entry("PIPE", 13),
          Map.entry("ALRM", 14),
          Map.entry("TERM", TERM),
          Map.entry("CHLD", 17),
          Map.entry("CONT", 18),
          Map.entry("STOP", 19),
          Map.entry("TSTP", 20),
          Map.entry("WINCH", 28));

  private LinuxSignals() {}

  static int number(String name) {
    Integer number = NUMBERS.get(name);
    if (number == null) {
      throw new IllegalArgumentException(
          "unknown signal " + name + "; there are " + String.join(", ", NUMBERS.keySet()));
    }
    return number;
  }
}
