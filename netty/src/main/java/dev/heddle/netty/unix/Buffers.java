// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import java.nio.ByteBuffer;

/// What the JDK's channels ask of a buffer, and Netty's native calls do not.
final class Buffers {
  private Buffers() {}

  /// Refuses a buffer that must not be written to, or whose memory was given back.
  ///
  /// @throws IllegalArgumentException when it is read-only
  /// @throws IllegalStateException when its arena is closed
  static void requireWritable(ByteBuffer buffer) {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    requireAlive(buffer);
  }

  /// Refuses a buffer whose memory was given back.
  ///
  /// @throws IllegalStateException when its arena is closed
  static void requireAlive(ByteBuffer buffer) {
    if (buffer.isDirect() && buffer.hasRemaining()) {
      byte _ = buffer.get(buffer.position()); // the one thing that asks its arena
    }
  }
}
