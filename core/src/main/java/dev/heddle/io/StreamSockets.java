// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.ListenerHandle;
import dev.heddle.io.handle.Preparation;
import dev.heddle.io.handle.SocketHandle;
import dev.heddle.io.server.ConnectionServer;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.time.Duration;

/// Opens stream sockets, of either family, on the current loop.
final class StreamSockets {
  private static final String BACKLOG_FULL = "Resource temporarily unavailable"; // EAGAIN
  private static final Duration SHORTEST = Duration.ofMillis(1); // for a server that is accepting
  private static final Duration LONGEST = Duration.ofMillis(100);

  private StreamSockets() {}

  static Listener listen(
      ProtocolFamily family,
      SocketAddress address,
      int backlog,
      Preparation<ListenerDescriptor> preparation,
      Preparation<SocketDescriptor> ofAccepted)
      throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    ListenerDescriptor descriptor = scheduler.reactor().driver().openListener(family);
    try {
      preparation.prepare(descriptor);
      descriptor.bind(address, backlog);
      SocketAddress bound = descriptor.localAddress();
      return new ListenerHandle(scheduler, descriptor, bound == null ? address : bound, ofAccepted);
    } catch (SocketException e) {
      descriptor.close();
      throw named(new BindException(address + ": " + e.getMessage()), e);
    } catch (IOException | RuntimeException e) {
      descriptor.close();
      throw e;
    }
  }

  /// A listener over a socket that already listens.
  static Listener adopted(Scheduler scheduler, ListenerDescriptor descriptor) {
    SocketAddress address = descriptor.localAddress();
    boolean inet = address instanceof InetSocketAddress;
    Preparation<SocketDescriptor> ofAccepted =
        inet ? TcpOptions.defaults()::applyToAccepted : socket -> {};
    return new ListenerHandle(
        scheduler, descriptor, address == null ? new InetSocketAddress(0) : address, ofAccepted);
  }

  /// A server of a listener that was opened for it; the listener is closed if the server cannot
  /// start.
  static Server served(
      Listener listener, ServerOptions options, ConnectionHandler<? super StreamSocket> handler) {
    boolean started = false;
    try {
      Server server = ConnectionServer.start(listener, options, handler);
      started = true;
      return server;
    } finally {
      if (!started) {
        listener.close(); // the scope accepts no new member
      }
    }
  }

  static StreamSocket connect(
      ProtocolFamily family, SocketAddress address, Preparation<SocketDescriptor> preparation)
      throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    for (Duration pause = SHORTEST;
        ;
        pause = pause.compareTo(LONGEST) < 0 ? pause.plus(pause) : pause) {
      try {
        return connectOnce(self.scheduler(), family, address, preparation);
      } catch (SocketException e) {
        if (!isBacklogFull(family, e)) {
          throw e;
        }
      }
      // no event reports free space in the backlog; a blocking call would wait, too
      self.delay(pause);
    }
  }

  private static boolean isBacklogFull(ProtocolFamily family, SocketException refusal) {
    return family == StandardProtocolFamily.UNIX && BACKLOG_FULL.equals(refusal.getMessage());
  }

  private static StreamSocket connectOnce(
      Scheduler scheduler,
      ProtocolFamily family,
      SocketAddress address,
      Preparation<SocketDescriptor> preparation)
      throws IOException {
    SocketDescriptor descriptor = scheduler.reactor().driver().openSocket(family);
    try {
      preparation.prepare(descriptor);
    } catch (IOException | RuntimeException e) {
      descriptor.close();
      throw e;
    }
    SocketHandle handle = new SocketHandle(scheduler, descriptor, "the connection to " + address);
    try {
      handle.connect(address);
      return handle;
    } catch (SocketException e) {
      // drivers report a path without a listener by different types
      boolean isRefused =
          e instanceof ConnectException
              || (family == StandardProtocolFamily.UNIX && !isBacklogFull(family, e));
      throw isRefused ? named(new ConnectException(address + ": " + e.getMessage()), e) : e;
    }
  }

  private static <E extends IOException> E named(E failure, IOException cause) {
    failure.initCause(cause);
    return failure;
  }
}
