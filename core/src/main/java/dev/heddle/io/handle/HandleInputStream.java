// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.io.AsyncIo;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/// A handle as an input stream.
final class HandleInputStream extends InputStream {
  private final AsyncIo handle;

  HandleInputStream(AsyncIo handle) {
    this.handle = handle;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, bytes.length);
    return length == 0 ? 0 : handle.read(ByteBuffer.wrap(bytes, from, length));
  }

  @Override
  public void close() {
    handle.close();
  }
}
