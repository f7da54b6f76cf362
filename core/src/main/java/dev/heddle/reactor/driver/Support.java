// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.util.EnumMap;
import java.util.Map;

/// How a driver serves a facility.
///
/// @param level who does it
/// @param how one line: by which call of the system, by which substitute, or why it is refused
public record Support(Level level, String how) {
  /// Who does it.
  public enum Level {
    /// The system tells, through the driver.
    NATIVE,
    /// Threads beside the loop, or another part of the runtime.
    COMPOSED,
    /// Nobody: it is refused, with the reason.
    REFUSED
  }

  /// Served by the driver itself.
  public static Support natively(String how) {
    return new Support(Level.NATIVE, how);
  }

  /// Served by other means.
  public static Support composed(String how) {
    return new Support(Level.COMPOSED, how);
  }

  /// Not served.
  public static Support refused(String why) {
    return new Support(Level.REFUSED, why);
  }

  /// What a driver serves, and what the runtime serves for every driver that does not.
  ///
  /// @param own of the driver
  public static Map<Facility, Support> withThoseBesideTheLoop(Map<Facility, Support> own) {
    Map<Facility, Support> all = new EnumMap<>(Facility.class);
    all.put(Facility.FILE, composed("FileChannel, on threads beside the loop"));
    all.put(
        Facility.NAMED_PIPE,
        composed("watched by number as RAW_POLL is; else on threads of its own"));
    all.put(
        Facility.SENDFILE,
        composed("a copy: its files are channels of the JDK's, which tell no numbers"));
    all.put(Facility.STDIO, composed("the JDK's streams, on threads of their own"));
    all.put(Facility.TTY, composed("/dev/tty, on threads of its own; its modes by stty"));
    all.putAll(own);
    return Map.copyOf(all);
  }
}
