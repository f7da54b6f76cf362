// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.ReactorDriver;

/// An event loop that lives on a driver's handler. It runs in turns of its own, beside those of the
/// driver.
///
/// **Thread** the carrier, in a turn of the driver's, unless a method says otherwise.
public interface EmbeddedEventLoop {
  /// Asks for a turn of its own if there is something to run now.
  ///
  /// @return whether it has asked: the driver's turn is then not to wait
  boolean requestTurn();

  /// When there is something to run again, by the loop's clock; [ReactorDriver#NO_DEADLINE]: when
  /// it is told, or while its turn is under way.
  long deadlineNanos();

  /// Whether there is something to run, and no turn under way that will.
  boolean hasTasks();

  /// Whether anything may come of it: tasks, timers, channels. **Thread** the loop's.
  boolean isArmed();

  /// Whether a turn of its own is about to hand on what another look would tell again.
  boolean hasUndelivered();

  /// The driver closes: ends what the system does for it. The handler still works, for the last
  /// time, and tells the rest.
  void abandon();

  /// The handler is gone: gives back to the system what it has of it, and ends.
  void end();
}
