// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;

/// One end of a pipe, over a JDK channel.
final class JdkStream extends JdkDescriptor implements StreamDescriptor {
  JdkStream(ChannelPoller poller, SelectableChannel channel) {
    super(poller, channel);
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    if (channel() instanceof ReadableByteChannel source) {
      return source.read(into);
    }
    throw new NonReadableChannelException();
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return sink().write(from);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return sink().write(from, offset, length);
  }

  private GatheringByteChannel sink() {
    if (channel() instanceof GatheringByteChannel sink) {
      return sink;
    }
    throw new NonWritableChannelException();
  }
}
