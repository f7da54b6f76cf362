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

/// A channel of bytes, in whichever directions it has.
class JdkStream extends JdkDescriptor implements StreamDescriptor {
  JdkStream(ChannelDriver driver, SelectableChannel channel) {
    super(driver, channel);
  }

  @Override
  public final int read(ByteBuffer into) throws IOException {
    if (channel() instanceof ReadableByteChannel source) {
      return source.read(into);
    }
    throw new NonReadableChannelException();
  }

  @Override
  public final int write(ByteBuffer from) throws IOException {
    return sink().write(from);
  }

  @Override
  public final long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return sink().write(from, offset, length);
  }

  private GatheringByteChannel sink() {
    if (channel() instanceof GatheringByteChannel sink) {
      return sink;
    }
    throw new NonWritableChannelException();
  }
}
