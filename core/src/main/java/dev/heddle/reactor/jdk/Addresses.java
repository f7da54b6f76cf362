// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// Addresses of channels that may be closed.
final class Addresses {
  private Addresses() {}

  interface Question {
    @Nullable SocketAddress ask() throws IOException;
  }

  /// The answer; null when the channel is closed, which is the only way in which the question
  /// fails.
  static @Nullable SocketAddress of(Question question) {
    try {
      return question.ask();
    } catch (IOException _) {
      return null;
    }
  }
}
