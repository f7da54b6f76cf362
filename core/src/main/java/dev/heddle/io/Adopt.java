// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.SocketHandle;
import dev.heddle.io.handle.StreamHandle;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;

/// Hands sockets that other code or another process has opened to the current loop: by JDK channel,
/// by file descriptor, or as systemd passes them.
///
/// An adopted socket belongs to the loop: it is closed with its handle or with the loop, and no
/// other code may read, write or close it. When a call here throws, the socket still belongs to the
/// caller. **Suspends** never.
///
/// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=adopt}
///
/// @since 0.1
public final class Adopt {
  private Adopt() {}

  /// Adopts a connection and sets it to non-blocking mode.
  ///
  /// @param channel TCP or UNIX, connected, with no key in a selector
  /// @throws NotYetConnectedException when it is not connected
  /// @throws IllegalArgumentException when it is not a channel of the JDK
  /// @throws java.nio.channels.ClosedChannelException when it is closed
  public static StreamSocket socket(SocketChannel channel) throws IOException {
    requireFit(channel);
    if (channel.isOpen() && !channel.isConnected()) {
      throw new NotYetConnectedException();
    }
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new SocketHandle(
        scheduler,
        scheduler.reactor().driver().adopt(channel),
        "the adopted connection to " + channel.getRemoteAddress());
  }

  /// Adopts a listening channel; [Server#start] serves it. Otherwise as [#socket(SocketChannel)].
  ///
  /// @throws NotYetBoundException when it is not bound
  public static Listener listener(ServerSocketChannel channel) throws IOException {
    requireFit(channel);
    if (channel.getLocalAddress() == null) {
      throw new NotYetBoundException();
    }
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return StreamSockets.adopted(scheduler, scheduler.reactor().driver().adopt(channel));
  }

  private static void requireFit(SelectableChannel channel) {
    if (channel.provider() != SelectorProvider.provider()) {
      throw new IllegalArgumentException(
          channel + " is not a channel of the JDK: it cannot be adopted");
    }
    if (channel.isRegistered()) {
      throw new IllegalArgumentException(
          channel + " has a key in a selector; cancel it, and select once more, before");
    }
  }

  /// Adopts a connection by its file descriptor, for example one that a native library has opened,
  /// and sets it to non-blocking mode and close-on-exec.
  ///
  /// The mode belongs to the open file description, not to the descriptor, and outlives the
  /// descriptor. Every process that shares the description, such as the shell that passed its own
  /// standard input to this process, finds it in non-blocking mode too, and most programs then
  /// fail. So adopt only what no other process reads or writes, now or later.
  ///
  /// @throws IOException when the descriptor is not open, or is not a connected stream socket; the
  ///   message says what it is
  /// @throws UnsupportedOperationException when the loop's driver cannot do it; the message says
  ///   why
  public static StreamSocket socket(int number) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new SocketHandle(
        scheduler,
        scheduler.reactor().driver().adoptSocket(number),
        "the adopted connection of descriptor " + number);
  }

  /// Adopts a listening socket, TCP or UNIX, by its file descriptor. [Server#start] serves it.
  /// Otherwise as [#socket(int)].
  ///
  /// @throws IOException when the descriptor is not open, or does not listen; the message says what
  ///   it is
  public static Listener listener(int number) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return StreamSockets.adopted(scheduler, scheduler.reactor().driver().adoptListener(number));
  }

  /// Adopts an end of a pipe by its file descriptor, to read or to write, as it was opened.
  /// Otherwise as [#socket(int)].
  ///
  /// @throws IOException when the descriptor is not open, or is not a pipe
  public static AsyncIo pipe(int number) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new StreamHandle(
        scheduler,
        scheduler.reactor().driver().adoptPipe(number),
        "the adopted pipe of descriptor " + number);
  }

  /// Adopts the listening sockets that systemd, or another service manager with its protocol
  /// (`sd_listen_fds`), has opened for this process: those of `LISTEN_FDS`, if `LISTEN_PID` is this
  /// process. A launcher in between must therefore `exec` the JVM instead of starting a child.
  ///
  /// Works once in a process. Descriptors of other kinds (a datagram socket, a connection, a named
  /// pipe) are left as they are, under their numbers, which start at 3. When the call throws, none
  /// is adopted, and it can be repeated.
  ///
  /// @return the listeners by name, in descriptor order, unmodifiable; empty if none were passed.
  ///   The names come from `LISTEN_FDNAMES`; a socket without one is called `unknown`
  /// @throws IOException when none of them listens, one is not open, or one is a stream socket on
  ///   which `listen` was not called; the message names the first and says what it is
  /// @throws IllegalStateException when they were already adopted
  /// @throws UnsupportedOperationException when there are some, and the loop's driver cannot adopt
  ///   them
  public static Map<String, List<Listener>> inheritedListeners() throws IOException {
    ReactorDriver driver = CoroutineNode.current().scheduler().reactor().driver();
    return InheritedSockets.take(driver, System.getenv(), ProcessHandle.current().pid());
  }
}
