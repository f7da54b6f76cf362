// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// Counts of a driver's armed listeners and of those notified in a poll.
///
/// **Thread** the carrier.
public final class ReadinessCounts {
  private int armed;
  private int notified;

  public ReadinessCounts() {}

  public int armed() {
    return armed;
  }

  /// The number of notifications and completions since [#beginPoll()].
  public int notified() {
    return notified;
  }

  /// Resets the count of a poll.
  public void beginPoll() {
    notified = 0;
  }

  /// Counts a completion without a descriptor, of a file operation.
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
