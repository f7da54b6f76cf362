// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import java.nio.channels.CancelledKeyException;

/// The operations of a channel that a driver's selector reports.
public interface Interest {
  /// The reported operations.
  ///
  /// @throws CancelledKeyException when the channel is closed
  int ops();

  /// Sets the reported operations to exactly these.
  ///
  /// @throws CancelledKeyException when the channel is closed
  void ops(int ops);

  void cancel();
}
