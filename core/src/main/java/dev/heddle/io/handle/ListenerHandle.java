// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.reactor.PollEvent;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;

/// A listening socket.
public final class ListenerHandle implements Listener, HasFileDescriptor {
  private static final Duration REFUSED = Duration.ofMillis(10); // others may close a descriptor

  private final Scheduler scheduler;
  private final ListenerDescriptor descriptor;
  private final SocketAddress address;
  private final Preparation<SocketDescriptor> ofAccepted;
  private final boolean inet;
  private final PollEvent acceptable;
  private final FairSemaphore accepting;

  // loop only
  private boolean open = true;
  private boolean watched; // if false, wait first: queued clients could take every descriptor

  /// A handle over a listening socket.
  ///
  /// @param address its local address
  /// @param ofAccepted applied to each accepted connection
  public ListenerHandle(
      Scheduler scheduler,
      ListenerDescriptor descriptor,
      SocketAddress address,
      Preparation<SocketDescriptor> ofAccepted) {
    this.scheduler = scheduler;
    this.descriptor = descriptor;
    this.address = address;
    this.ofAccepted = ofAccepted;
    this.inet = address instanceof InetSocketAddress;
    this.acceptable = new PollEvent(scheduler, Direction.READ, descriptor, this);
    this.accepting = new FairSemaphore(scheduler, 1, this);
    scheduler.futures().opened(this);
    scheduler.reactor().handleOpened();
  }

  @Override
  public StreamSocket accept() throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != scheduler) {
      throw new IllegalStateException(this + " belongs to another loop; use it there");
    }
    requireOpen();
    accepting.acquire(self);
    try {
      requireOpen();
      self.scheduler().consumeBudget(self);
      SocketDescriptor accepted = watched ? descriptor.accept() : null;
      while (accepted == null) {
        self.awaitEvent(acceptable);
        watched = true;
        accepted = descriptor.accept();
      }
      return opened(accepted);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      // usually no descriptor is left: a server that retries at once must not hold the loop
      self.delay(REFUSED);
      throw e;
    } finally {
      accepting.release();
    }
  }

  @Override
  public int fd() throws IOException {
    requireOpen();
    return scheduler.reactor().driver().fd(descriptor);
  }

  private void requireOpen() throws ClosedChannelException {
    if (!open) {
      throw new ClosedChannelException();
    }
  }

  private StreamSocket opened(SocketDescriptor accepted) throws IOException {
    boolean opened = false;
    try {
      ofAccepted.prepare(accepted); // also throws for an option that such sockets do not support
      opened = true;
      return new SocketHandle(scheduler, accepted, new Accepted(accepted, this));
    } finally {
      if (!opened) {
        accepted.close();
      }
    }
  }

  /// The name of a connection, computed only when it is printed.
  private record Accepted(SocketDescriptor socket, ListenerHandle by) {
    @Override
    public String toString() {
      SocketAddress peer = socket.remoteAddress();
      return peer == null || !by.inet ? "a connection of " + by : "a connection from " + peer;
    }
  }

  @Override
  public SocketAddress localAddress() {
    return address;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    if (!open) {
      return;
    }
    scheduler.checkOnLoop();
    open = false;
    scheduler.futures().closed(this);
    scheduler.reactor().handleClosed();
    acceptable.abort(new AsynchronousCloseException());
    descriptor.close();
  }

  @Override
  public String toString() {
    return "the listener on " + address;
  }
}
