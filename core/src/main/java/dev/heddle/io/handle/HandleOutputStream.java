// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.io.AsyncIo;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/// A handle as an output stream.
final class HandleOutputStream extends OutputStream {
  private final AsyncIo handle;

  HandleOutputStream(AsyncIo handle) {
    this.handle = handle;
  }

  @Override
  public void write(int b) throws IOException {
    handle.write(ByteBuffer.wrap(new byte[] {(byte) b}));
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    handle.write(ByteBuffer.wrap(bytes, from, length));
  }

  @Override
  public void flush() throws IOException {
    handle.flush();
  }

  @Override
  public void close() {
    handle.close();
  }
}
