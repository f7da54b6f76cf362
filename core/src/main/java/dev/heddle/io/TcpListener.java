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
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/// A listening TCP socket.
final class TcpListener implements Listener {
  private static final Duration REFUSED =
      Duration.ofMillis(10); // long enough for others to close something

  private final Scheduler scheduler;
  private final ReactorDriver driver;
  private final ServerSocketChannel channel;
  private final SocketAddress address;
  private final Descriptor descriptor;
  private final PollEvent acceptable;
  private final Permits accepting;
  private final Fairness fairness = new Fairness();

  TcpListener(Scheduler scheduler, ServerSocketChannel channel) throws IOException {
    this.scheduler = scheduler;
    this.driver = scheduler.reactor().driver();
    this.channel = channel;
    this.address = channel.getLocalAddress();
    this.descriptor = new Descriptor(channel, "the listener on " + address);
    this.acceptable = new PollEvent(scheduler, driver, Kind.POLL_INPUT, descriptor);
    this.accepting = new Permits(scheduler, 1, descriptor);
    driver.open(descriptor);
  }

  @Override
  public AsyncIo accept() throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != scheduler) {
      throw new IllegalStateException(descriptor + " belongs to another loop; use it there");
    }
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
    accepting.take(self);
    try {
      fairness.pass(self);
      for (SocketChannel accepted = channel.accept(); ; accepted = channel.accept()) {
        if (accepted != null) {
          return opened(accepted);
        }
        self.awaitEvent(acceptable);
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      // most often no descriptor is left: a server that tries again at once must not hold the loop
      self.delay(REFUSED);
      throw e;
    } finally {
      accepting.giveBack();
    }
  }

  private AsyncIo opened(SocketChannel accepted) throws IOException {
    try {
      accepted.configureBlocking(false);
      accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return new TcpStream(scheduler, accepted, "a connection from " + accepted.getRemoteAddress());
    } catch (IOException e) {
      Channels.close(accepted);
      throw e;
    }
  }

  @Override
  public SocketAddress localAddress() {
    return address;
  }

  @Override
  public void close() {
    if (!channel.isOpen()) {
      return;
    }
    scheduler.checkOnLoop();
    acceptable.abort(new AsynchronousCloseException());
    Channels.close(channel);
    driver.closed(descriptor);
  }

  @Override
  public String toString() {
    return descriptor.toString();
  }
}
