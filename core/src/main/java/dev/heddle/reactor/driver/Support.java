// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.util.EnumMap;
import java.util.Map;

/// How a driver supports a capability.
///
/// @param level whether it is native, emulated or unsupported
/// @param description one line: the system call, the substitute, or why it is unsupported
public record Support(Level level, String description) {
  public enum Level {
    /// The driver itself.
    NATIVE,
    /// Worker threads of the loop, or another part of the runtime.
    EMULATED,
    /// Unsupported: calls throw with the reason.
    UNSUPPORTED
  }

  public static Support natively(String how) {
    return new Support(Level.NATIVE, how);
  }

  public static Support emulated(String how) {
    return new Support(Level.EMULATED, how);
  }

  public static Support unsupported(String why) {
    return new Support(Level.UNSUPPORTED, why);
  }

  /// A driver's support, completed by the emulations that the runtime has for every driver.
  public static Map<Capability, Support> withOffloaded(Map<Capability, Support> own) {
    Map<Capability, Support> all = new EnumMap<>(Capability.class);
    all.put(Capability.FILE, emulated("FileChannel, on worker threads of the loop"));
    all.put(
        Capability.NAMED_PIPE,
        emulated("polled as RAW_POLL where that is supported, otherwise on threads of its own"));
    all.put(
        Capability.SENDFILE,
        emulated("a copy: its files are JDK channels, which do not expose file descriptors"));
    all.put(Capability.STDIO, emulated("the JDK's streams, on threads of their own"));
    all.put(Capability.TTY, emulated("/dev/tty, on threads of its own; its modes by stty"));
    all.putAll(own);
    return Map.copyOf(all);
  }
}
