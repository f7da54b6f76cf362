// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

/// Is called of each sleep, each look at the driver and each timer, while a trace of the loop is
/// being recorded.
///
/// **Thread** the loop's; never waits, and calls no user code.
public interface ReactorTrace {
  /// The loop is about to sleep in the driver.
  void sleeps();

  /// The driver has returned, and has called its listeners.
  ///
  /// @param slept whether [#sleeps()] was called before
  /// @param notified how many listeners
  void polled(boolean slept, int notified);

  /// A timer has expired, and is about to fire.
  ///
  /// @param deadline when it was to, on the loop's clock
  void expired(long deadline);
}
