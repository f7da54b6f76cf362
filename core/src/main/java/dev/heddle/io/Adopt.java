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

/// Makes sockets that other code, or another process, has opened sockets of the current loop: by
/// the JDK's channel, by the descriptor's number, or as systemd hands them over.
///
/// What is adopted belongs to the loop: it is closed with its handle, or with the loop, and nobody
/// else reads, writes or closes it. When a call here throws, it still belongs to the caller. All
/// **suspend** never.
///
/// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=adopt}
///
/// @since 0.1
public final class Adopt {
  private Adopt() {}

  /// Adopts a connection. It is in non-blocking mode from now on.
  ///
  /// @param channel TCP or UNIX, connected, with no key in a selector
  /// @throws NotYetConnectedException when it is not connected
  /// @throws IllegalArgumentException when it is no channel of the JDK's
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

  /// Adopts a channel that listens; [Server#start] serves it. Else as [#socket(SocketChannel)].
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
      throw new IllegalArgumentException(channel + " is not a JDK channel: it cannot be adopted");
    }
    if (channel.isRegistered()) {
      throw new IllegalArgumentException(
          channel + " has a key in a selector; cancel it, and select once more, before");
    }
  }

  /// Adopts a connection by its number, for example one that a native library has opened. It is in
  /// non-blocking mode and closed on `exec` from now on.
  ///
  /// The mode is not the number's but that of what is open behind it, and stays when the number is
  /// closed. Whoever has the same open, the shell that has started this process with its own
  /// standard input for example, finds it in non-blocking mode, too, and most programs fail then.
  /// So adopt what nobody else reads or writes, also not later.
  ///
  /// @throws IOException when nothing of that number is open, or it is no connected stream socket;
  ///   the message says what it is
  /// @throws UnsupportedOperationException when the loop's driver cannot; the message says why
  public static StreamSocket socket(int number) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new SocketHandle(
        scheduler,
        scheduler.reactor().driver().adoptSocket(number),
        "the adopted connection of descriptor " + number);
  }

  /// Adopts a socket that listens, TCP or UNIX, by its number. [Server#start] serves it. Else as
  /// [#socket(int)].
  ///
  /// @throws IOException when nothing of that number is open, or it does not listen; the message
  ///   says what it is
  public static Listener listener(int number) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return StreamSockets.adopted(scheduler, scheduler.reactor().driver().adoptListener(number));
  }

  /// Adopts an end of a pipe by its number; it is read from, or written to, as it was opened. Else
  /// as [#socket(int)].
  ///
  /// @throws IOException when nothing of that number is open, or it is no pipe
  public static AsyncIo pipe(int number) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    return new StreamHandle(
        scheduler,
        scheduler.reactor().driver().adoptPipe(number),
        "the adopted pipe of descriptor " + number);
  }

  /// Adopts the listening sockets that systemd, or another manager with its protocol
  /// (`sd_listen_fds`), has opened for this process: those of `LISTEN_FDS`, when `LISTEN_PID` is
  /// this process. So a launcher in between is to `exec` the JVM, not to start a child.
  ///
  /// Once in a process: then they are taken. What is sound and no listener, a socket for datagrams,
  /// a connection or a named pipe, is left as it is, under its number: the first is 3. When the
  /// call throws, none is taken, and it can be repeated.
  ///
  /// @return those that listen, by name, in the order of their numbers, the names and lists
  ///   unmodifiable; empty: nothing was handed over. `LISTEN_FDNAMES` says the names; a socket
  ///   without one is called `unknown`
  /// @throws IOException when none of them listens, or one is not open, or is a socket for
  ///   connections that nobody has told to listen; the message names the first and says what it is
  /// @throws IllegalStateException when they were taken already
  /// @throws UnsupportedOperationException when there are some, and the loop's driver cannot
  public static Map<String, List<Listener>> inheritedListeners() throws IOException {
    ReactorDriver driver = CoroutineNode.current().scheduler().reactor().driver();
    return InheritedSockets.take(driver, System.getenv(), ProcessHandle.current().pid());
  }
}
