// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

/// Learns what programs open on a loop and have to close: streams of events, subscriptions,
/// sockets, listeners, pipes, files. For tests, which look at what is left; in production a loop
/// has none.
///
/// **Thread** the loop's, on the stack of the call that opens or closes.
public interface ResourceListener {
  void opened(Object resource);

  /// Called once or more; also for what was never opened.
  void closed(Object resource);
}
