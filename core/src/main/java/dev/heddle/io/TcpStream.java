// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.Descriptor;
import dev.heddle.reactor.Operation.Kind;
import dev.heddle.reactor.PollEvent;
import dev.heddle.reactor.ReactorDriver;
import dev.heddle.scheduler.Permits;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A TCP connection: tries on the coroutine's own stack, waits for readiness when there is nothing
/// to do, tries again.
final class TcpStream implements AsyncIo {
  private final Scheduler scheduler;
  private final ReactorDriver driver;
  private final SocketChannel channel;
  private final Descriptor descriptor;
  private final PollEvent readable;
  private final PollEvent writable;
  private final Permits reading;
  private final Permits writing;
  private final Fairness fairness = new Fairness();

  TcpStream(Scheduler scheduler, SocketChannel channel, String name) {
    this.scheduler = scheduler;
    this.driver = scheduler.reactor().driver();
    this.channel = channel;
    this.descriptor = new Descriptor(channel, name);
    this.readable = new PollEvent(scheduler, driver, Kind.POLL_INPUT, descriptor);
    this.writable = new PollEvent(scheduler, driver, Kind.POLL_OUTPUT, descriptor);
    this.reading = new Permits(scheduler, 1, descriptor);
    this.writing = new Permits(scheduler, 1, descriptor);
    driver.open(descriptor);
  }

  private CoroutineNode<?> self() throws ClosedChannelException {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != scheduler) {
      throw new IllegalStateException(descriptor + " belongs to another loop; use it there");
    }
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
    return self;
  }

  /// Completes a connect that was begun; closes the channel when it does not succeed.
  void finishConnect(SocketAddress remote) throws IOException {
    boolean connected = false;
    try {
      if (!channel.connect(remote)) {
        do {
          self().awaitEvent(writable);
        } while (!channel.finishConnect());
      }
      connected = true;
    } finally {
      if (!connected) {
        close();
      }
    }
  }

  @Override
  public int read(ByteBuffer buffer) throws IOException {
    CoroutineNode<?> self = self();
    reading.take(self);
    try {
      fairness.pass(self);
      for (int n = channel.read(buffer); ; n = channel.read(buffer)) {
        if (n != 0 || !buffer.hasRemaining()) {
          return n;
        }
        self.awaitEvent(readable);
      }
    } finally {
      reading.giveBack();
    }
  }

  @Override
  public void write(ByteBuffer buffer) throws IOException {
    CoroutineNode<?> self = self();
    writing.take(self);
    try {
      fairness.pass(self);
      while (buffer.hasRemaining()) {
        if (channel.write(buffer) == 0) {
          self.awaitEvent(writable);
        }
      }
    } finally {
      writing.giveBack();
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    self();
    channel.shutdownOutput();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    try {
      return channel.getRemoteAddress();
    } catch (IOException _) {
      return null;
    }
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  @Override
  public void close() {
    if (!channel.isOpen()) {
      return;
    }
    scheduler.checkOnLoop();
    AsynchronousCloseException closed = new AsynchronousCloseException();
    readable.abort(closed);
    writable.abort(closed);
    Channels.close(channel);
    driver.closed(descriptor);
  }

  @Override
  public String toString() {
    return descriptor.toString();
  }
}
