// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

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
}
