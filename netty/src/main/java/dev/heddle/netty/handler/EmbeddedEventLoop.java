// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.ReactorDriver;

/// An event loop embedded in a driver's handler. Its turns are separate from the driver's.
///
/// **Thread** the carrier, in a turn of the driver, unless a method says otherwise.
public interface EmbeddedEventLoop {
  /// Requests a turn of its own if there is something to run now.
  ///
  /// @return whether it has: the driver's turn must then not block
  boolean requestTurn();

  /// When its next timer is due, by the loop's clock; [ReactorDriver#NO_DEADLINE] without a timer
  /// or while its turn is running.
  long deadlineNanos();

  /// Whether there is something to run and no running turn that will.
  boolean hasTasks();

  /// Whether it has tasks, timers or channels.
  boolean isArmed();

  /// Whether its next turn has events to deliver that another poll would report again.
  boolean hasUndelivered();

  /// Called when the driver closes: ends its operations in the system. The handler still runs once
  /// more and reports the rest.
  void abandon();

  /// Called when the handler has closed: closes its descriptors, and ends.
  void end();
}
