// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// How many listeners a driver's descriptors have, and how many of them a tick has notified.
///
/// **Thread** the loop's.
public final class ReadinessCounts {
  private int armed;
  private int notified;

  /// Counts nothing yet.
  public ReadinessCounts() {}

  /// Listeners that are armed.
  public int armed() {
    return armed;
  }

  /// What has been notified or completed since [#beginTick()].
  public int notified() {
    return notified;
  }

  /// Starts to count what a tick notifies.
  public void beginTick() {
    notified = 0;
  }

  /// Something that is no descriptor's has completed in this tick: an operation on a file.
  public void completed() {
    notified++;
  }

  void arm() {
    armed++;
  }

  void disarm() {
    armed--;
  }
}
