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

/// The end of a pipe to write to.
final class PipeSinkFront extends Pipe.SinkChannel implements Selectable {
  private final StreamDescriptor descriptor;
  private final Waits waits;
  private final ReentrantLock writing = new ReentrantLock();

  PipeSinkFront(SelectorProvider provider, HostNetwork network, StreamDescriptor descriptor) {
    super(provider);
    this.descriptor = descriptor;
    this.waits = new Waits(network, descriptor);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    Objects.requireNonNull(from);
    writing.lock();
    try {
      if (!isOpen()) {
        throw new ClosedChannelException();
      }
      return isBlocking() ? writeBlocking(from) : descriptor.write(from);
    } finally {
      writing.unlock();
    }
  }

  private int writeBlocking(ByteBuffer from) throws IOException {
    int sum = 0;
    boolean done = false;
    begin();
    try {
      while (!done && isOpen()) {
        sum += descriptor.write(from);
        done = !from.hasRemaining();
        if (!done) {
          waits.await(Direction.WRITE, HostNetwork.FOREVER);
        }
      }
      return sum;
    } finally {
      end(done || sum > 0);
    }
  }

  @Override
  public long write(ByteBuffer[] from) throws IOException {
    return write(from, 0, from.length);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      sum += write(from[i]);
      if (from[i].hasRemaining()) {
        break; // full
      }
    }
    return sum;
  }

  @Override
  protected void implCloseSelectableChannel() {
    waits.close();
    descriptor.close();
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    writing.lock(); // after a write that goes on
    writing.unlock();
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
