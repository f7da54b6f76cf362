// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/// The end of a pipe to read from.
final class PipeSourceFront extends Pipe.SourceChannel implements Selectable {
  private final HostNetwork network;
  private final StreamDescriptor descriptor;
  private final Waits waits;
  private final ReentrantLock reading = new ReentrantLock();

  PipeSourceFront(SelectorProvider provider, HostNetwork network, StreamDescriptor descriptor) {
    super(provider);
    this.network = network;
    this.descriptor = descriptor;
    this.waits = new Waits(network, descriptor);
  }

  private void requireOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    Objects.requireNonNull(into);
    reading.lock();
    try {
      requireOpen();
      int n = isBlocking() ? readBlocking(into) : descriptor.read(into);
      if (n == 0 && into.hasRemaining()) {
        network.threads().onFruitless();
      }
      return n;
    } finally {
      reading.unlock();
    }
  }

  private int readBlocking(ByteBuffer into) throws IOException {
    int n = 0;
    begin();
    try {
      n = isOpen() ? descriptor.read(into) : 0;
      while (n == 0 && into.hasRemaining() && isOpen()) {
        waits.await(Direction.READ, HostNetwork.FOREVER);
        n = isOpen() ? descriptor.read(into) : 0;
      }
      return n;
    } finally {
      end(n > 0);
    }
  }

  @Override
  public long read(ByteBuffer[] into) throws IOException {
    return read(into, 0, into.length);
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    for (int i = offset; i < offset + length; i++) {
      if (into[i].hasRemaining()) {
        return read(into[i]); // may read less than there is, as all channels
      }
    }
    return 0;
  }

  @Override
  protected void implCloseSelectableChannel() {
    waits.close();
    descriptor.close();
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    reading.lock(); // after a read that goes on
    reading.unlock();
  }

  @Override
  public Waits waits() {
    return waits;
  }

  @Override
  public int possibleOps() {
    return validOps();
  }
}
