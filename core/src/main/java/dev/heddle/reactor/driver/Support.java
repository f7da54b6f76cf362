// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.util.EnumMap;
import java.util.Map;

/// How a driver serves a facility.
///
/// @param level who does it
/// @param description one line: by which call of the system, by which substitute, or why it is
///   refused
public record Support(Level level, String description) {
  /// Who does it.
  public enum Level {
    /// The system tells, through the driver.
    NATIVE,
    /// Threads beside the loop, or another part of the runtime.
    EMULATED,
    /// Nobody: it is refused, with the reason.
    UNSUPPORTED
  }

  /// Served by the driver itself.
  public static Support natively(String how) {
    return new Support(Level.NATIVE, how);
  }

  /// Served by other means.
  public static Support emulated(String how) {
    return new Support(Level.EMULATED, how);
  }

  /// Not served.
  public static Support unsupported(String why) {
    return new Support(Level.UNSUPPORTED, why);
  }

  /// What a driver serves, and what the runtime serves for every driver that does not.
  ///
  /// @param own of the driver
  public static Map<Capability, Support> withOffloaded(Map<Capability, Support> own) {
    Map<Capability, Support> all = new EnumMap<>(Capability.class);
    all.put(Capability.FILE, emulated("FileChannel, on worker threads of the loop"));
    all.put(
        Capability.NAMED_PIPE,
        emulated("watched by file descriptor as RAW_POLL is; else on threads of its own"));
    all.put(
        Capability.SENDFILE,
        emulated("a copy: its files are JDK channels, which do not expose file descriptors"));
    all.put(Capability.STDIO, emulated("the JDK's streams, on threads of their own"));
    all.put(Capability.TTY, emulated("/dev/tty, on threads of its own; its modes by stty"));
    all.putAll(own);
    return Map.copyOf(all);
  }
}
