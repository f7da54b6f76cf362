// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import java.nio.channels.CancelledKeyException;

/// What a driver's selector reports of a channel.
public interface Interest {
  /// Which operations.
  ///
  /// @throws CancelledKeyException when the channel is closed
  int ops();

  /// Has it report exactly these.
  ///
  /// @throws CancelledKeyException when the channel is closed
  void ops(int ops);

  /// Has it report nothing more.
  void cancel();
}
