// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.Registration;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.io.UdpSocket;
import dev.heddle.reactor.PollEvent;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A datagram socket, UDP or UNIX. Reads and writes are ordered as in every handle; a datagram is
/// read as a whole, so no rest of it is kept for the next read.
public final class DatagramHandle extends Handle implements UdpSocket, HasFileDescriptor {
  private static final Duration SHORTEST = Duration.ofMillis(1); // for a receiver that is reading
  private static final Duration LONGEST = Duration.ofMillis(100);

  private final DatagramDescriptor descriptor;
  private final String kind;
  private final PollEvent readable;
  private final PollEvent writable;

  // loop only
  private @Nullable SocketAddress sender; // of the last datagram

  /// A handle over a bound or connected socket.
  ///
  /// @param kind name in messages and dumps: `UDP`, `UNIX datagram`
  public DatagramHandle(Scheduler scheduler, DatagramDescriptor descriptor, String kind) {
    super(scheduler);
    this.descriptor = descriptor;
    this.kind = kind;
    this.readable = new PollEvent(scheduler, Direction.READ, descriptor, this);
    this.writable = new PollEvent(scheduler, Direction.WRITE, descriptor, this);
    scheduler.futures().opened(this);
    scheduler.reactor().handleOpened();
  }

  @Override
  protected int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException {
    int before = into.position();
    sender = descriptor.receive(into);
    while (sender == null) {
      self.awaitEvent(readable, deadline, null);
      sender = descriptor.receive(into);
    }
    return into.position() - before;
  }

  @Override
  public SocketAddress receive(ByteBuffer buffer, Deadline deadline) throws IOException {
    return readExclusively(
        deadline,
        self -> {
          readSome(self, buffer, deadline);
          SocketAddress from = sender;
          if (from == null) {
            throw new IllegalStateException("a datagram without a sender");
          }
          return from;
        });
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException {
    if (descriptor.remoteAddress() == null) {
      throw new NotYetConnectedException();
    }
    sendWhole(self, from, null, deadline);
  }

  @Override
  public void send(ByteBuffer buffer, SocketAddress to) throws IOException {
    writeExclusively(self -> {
      sendWhole(self, buffer, to, Deadline.never());
      return to;
    });
  }

  private void sendWhole(
      CoroutineNode<?> self, ByteBuffer from, @Nullable SocketAddress to, Deadline deadline)
      throws IOException {
    Duration pause = SHORTEST;
    while (!descriptor.send(from, to)) {
      if (to == null || to instanceof InetSocketAddress) {
        self.awaitEvent(writable, deadline, null);
      } else {
        // the receiver's buffer is full, which the system reports to connected sockets only
        self.delay(pause);
        self();
        pause = pause.compareTo(LONGEST) < 0 ? pause.plus(pause) : pause;
      }
    }
  }

  @Override
  public int fd() throws IOException {
    self();
    return scheduler().reactor().driver().fd(descriptor);
  }

  @Override
  public void connect(SocketAddress peer) throws IOException {
    self();
    descriptor.connect(peer);
  }

  @Override
  public void disconnect() throws IOException {
    self();
    descriptor.connect(null);
  }

  @Override
  public Registration join(InetAddress group, NetworkInterface on) throws IOException {
    self();
    AutoCloseable membership = descriptor.join(group, on);
    return () -> {
      scheduler().checkOnLoop();
      try {
        membership.close();
      } catch (IOException e) {
        throw new UncheckedIOException("while leaving " + group, e);
      } catch (Exception e) {
        throw new IllegalStateException("while leaving " + group, e);
      }
    };
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return isOpen() ? descriptor.localAddress() : null;
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return isOpen() ? descriptor.remoteAddress() : null;
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    self();
    descriptor.setOption(option, value);
  }

  @Override
  public <T> T option(SocketOption<T> option) throws IOException {
    self();
    return descriptor.getOption(option);
  }

  @Override
  protected void onClose() {
    AsynchronousCloseException closed = new AsynchronousCloseException();
    readable.abort(closed);
    writable.abort(closed);
    descriptor.close();
  }

  @Override
  public String toString() {
    SocketAddress local = localAddress();
    return local == null ? "a " + kind + " socket" : "the " + kind + " socket " + local;
  }
}
