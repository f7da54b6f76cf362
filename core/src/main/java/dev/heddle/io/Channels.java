// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.nio.channels.SelectableChannel;

/// Closing what cannot fail in a way that anybody could act on.
final class Channels {
  private Channels() {}

  static void close(SelectableChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // the descriptor is gone all the same; data that could not be flushed was reported to the
      // writer
      System.getLogger("dev.heddle").log(System.Logger.Level.DEBUG, "while closing " + channel, e);
    }
  }
}
