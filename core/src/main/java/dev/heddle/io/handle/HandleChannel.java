// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.io.AsyncIo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/// A handle as a channel. A write writes all bytes, as a blocking channel does.
final class HandleChannel implements ByteChannel {
  private final AsyncIo handle;

  HandleChannel(AsyncIo handle) {
    this.handle = handle;
  }

  @Override
  public int read(ByteBuffer buffer) throws IOException {
    return handle.read(buffer);
  }

  @Override
  public int write(ByteBuffer buffer) throws IOException {
    int size = buffer.remaining();
    handle.write(buffer);
    return size;
  }

  @Override
  public boolean isOpen() {
    return handle.isOpen();
  }

  @Override
  public void close() {
    handle.close();
  }
}
