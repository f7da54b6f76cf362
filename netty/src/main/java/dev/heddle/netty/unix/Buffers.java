// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import java.nio.ByteBuffer;

/// Checks of buffers that JDK channels make and Netty's native calls do not.
final class Buffers {
  private Buffers() {}

  /// Throws for a buffer that is read-only or whose memory was freed.
  ///
  /// @throws IllegalArgumentException when it is read-only
  /// @throws IllegalStateException when its arena is closed
  static void requireWritable(ByteBuffer buffer) {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    requireAlive(buffer);
  }

  /// Throws for a buffer whose memory was freed.
  ///
  /// @throws IllegalStateException when its arena is closed
  static void requireAlive(ByteBuffer buffer) {
    if (buffer.isDirect() && buffer.hasRemaining()) {
      byte _ = buffer.get(buffer.position()); // the only operation that checks the arena
    }
  }
}
