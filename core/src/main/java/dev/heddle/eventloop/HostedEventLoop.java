// SPDX-License-Identifier: Apache-2.0
package dev.heddle.eventloop;

/// Another library's event loop that lives on a loop.
///
/// **Thread** the loop's, but [#frame], which is the turns' own.
public interface HostedEventLoop {
  /// Runs what is there, but no longer than is fair to others. In a coroutine; throws nothing.
  void takeTurn();

  /// Whether a turn would find something to do.
  boolean hasWork();

  /// Whether it has ended: no turn comes any more.
  boolean isOver();

  /// Runs all turns, once, as the outermost frame of their thread.
  void frame(Runnable turns);
}
