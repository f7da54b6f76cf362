// SPDX-License-Identifier: Apache-2.0
package dev.heddle.eventloop;

/// Another library's event loop, embedded in a loop.
///
/// **Thread** the loop's, except [#frame], which runs on the turns' own thread.
public interface HostedEventLoop {
  /// Does the pending work, up to a limit that is fair to others. Runs in a coroutine; throws
  /// nothing.
  void takeTurn();

  /// Whether a turn would find work.
  boolean hasWork();

  /// Whether the event loop has ended: it gets no further turn.
  boolean isOver();

  /// Runs all turns, once, as the outermost frame of their thread.
  void frame(Runnable turns);
}
