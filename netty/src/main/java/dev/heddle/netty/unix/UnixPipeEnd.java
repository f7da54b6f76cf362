// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;

/// One end of a pipe.
final class UnixPipeEnd extends UnixStream {
  private final boolean source;

  UnixPipeEnd(DescriptorRegistry registry, FileDescriptor fd, boolean source) {
    super(registry, fd);
    this.source = source;
  }

  @Override
  int receive(ByteBuffer direct, int from, int to) throws IOException {
    if (!source) {
      throw new NonReadableChannelException();
    }
    return super.receive(direct, from, to);
  }

  @Override
  int send(ByteBuffer direct, int from, int to) throws IOException {
    requireSink();
    return super.send(direct, from, to);
  }

  @Override
  long sendAll(ByteBuffer[] direct, int offset, int length) throws IOException {
    requireSink();
    return super.sendAll(direct, offset, length);
  }

  private void requireSink() {
    if (source) {
      throw new NonWritableChannelException();
    }
  }
}
