// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.ReactorDriver;

/// Another event loop that lives on a driver's handler.
///
/// **Thread** the carrier, in a turn, unless a method says otherwise.
public interface Guest {
  /// Runs what is due.
  ///
  /// @return whether there was anything: the turn is then not to wait, for somebody may be ready
  boolean run();

  /// When there is something to run again, by the loop's clock; [ReactorDriver#FOREVER]: when it is
  /// told.
  long deadlineNanos();

  /// Whether there is something to run now. **Thread** the loop's.
  boolean hasTasks();

  /// Whether anything may come of it: tasks, timers, channels. **Thread** the loop's.
  boolean isArmed();

  /// The driver closes; the handler still works, for the last time.
  void end();
}
