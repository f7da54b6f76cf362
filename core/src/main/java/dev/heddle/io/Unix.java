// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.DatagramHandle;
import dev.heddle.io.handle.HasFileDescriptor;
import dev.heddle.io.handle.SocketHandle;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.BindException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Opens UNIX domain sockets on the current loop: connections and datagrams between processes of
/// one machine, by the path of a file or, on Linux, by an [abstract name][UnixAbstractAddress].
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=unix}
///
/// A call that the loop's driver does not support fails with an [UnsupportedOperationException]
/// that names the driver and the reason.
///
/// @since 0.1
public final class Unix {
  // connections that the system queues until they are accepted
  private static final int BACKLOG = 1_024;
  private static final int MAX_DESCRIPTORS = 253; // descriptors in one message: Linux's SCM_MAX_FD

  private Unix() {}

  /// Listens on a path that must not exist yet. The file stays when the listener is closed; the
  /// program must delete it. **Suspends** never.
  ///
  /// @throws java.net.BindException when the path exists or cannot be created; the message names it
  public static Listener listen(Path path) throws IOException {
    return listen(UnixDomainSocketAddress.of(path));
  }

  /// Listens on a path or an abstract name. Otherwise as [#listen(Path)].
  ///
  /// @param address a [UnixDomainSocketAddress] or a [UnixAbstractAddress]
  /// @throws UnsupportedOperationException for an abstract name, when the loop's driver does not
  ///   support them
  public static Listener listen(SocketAddress address) throws IOException {
    return StreamSockets.listen(
        StandardProtocolFamily.UNIX, known(address), BACKLOG, socket -> {}, socket -> {});
  }

  private static SocketAddress known(SocketAddress address) {
    if (address instanceof UnixAbstractAddress) {
      driver().require(Capability.ABSTRACT_ADDRESS);
    } else if (!(address instanceof UnixDomainSocketAddress)) {
      throw new IllegalArgumentException("not the address of a UNIX socket: " + address);
    }
    return address;
  }

  private static ReactorDriver driver() {
    return CoroutineNode.current().scheduler().reactor().driver();
  }

  /// Serves a path: each connection runs `handler` in its own coroutine. Otherwise as [#listen].
  public static Server serve(Path path, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return serve(path, ServerOptions.defaults(), handler);
  }

  /// Serves a path, with options. Otherwise as [#serve(Path, ConnectionHandler)].
  public static Server serve(
      Path path, ServerOptions options, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return StreamSockets.served(listen(path), options, handler);
  }

  /// Connects to a listener. **Suspends** until the peer has answered; while the listener's backlog
  /// is full, it retries after pauses. **Cancelled** the attempt is abandoned.
  ///
  /// @throws java.net.ConnectException when no socket listens there, the path does not exist or
  ///   cannot be reached; the message names the path
  /// @throws IOException when the system refuses otherwise
  public static StreamSocket connect(Path path) throws IOException {
    return connect(UnixDomainSocketAddress.of(path));
  }

  /// Connects to a listener on a path or an abstract name. Otherwise as [#connect(Path)].
  ///
  /// @param address a [UnixDomainSocketAddress] or a [UnixAbstractAddress]
  /// @throws UnsupportedOperationException for an abstract name, when the loop's driver does not
  ///   support them
  public static StreamSocket connect(SocketAddress address) throws IOException {
    return StreamSockets.connect(StandardProtocolFamily.UNIX, known(address), socket -> {});
  }

  // ---- datagrams ----

  /// Opens a datagram socket at a path that must not exist yet. The file stays when the socket is
  /// closed; the program must delete it. Datagrams are neither lost nor reordered: a sender waits
  /// while the receiver's buffer is full. **Suspends** never.
  ///
  /// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=datagram}
  ///
  /// @throws BindException when the path exists or cannot be created; the message names it
  /// @throws UnsupportedOperationException when the loop's driver does not support them
  public static DatagramSocket bindDatagram(Path path) throws IOException {
    return bindDatagram(UnixDomainSocketAddress.of(path));
  }

  /// Opens a datagram socket at a path or an abstract name. Otherwise as [#bindDatagram(Path)].
  ///
  /// @param address a [UnixDomainSocketAddress] or a [UnixAbstractAddress]
  public static DatagramSocket bindDatagram(SocketAddress address) throws IOException {
    return datagram(known(address));
  }

  /// Opens a datagram socket without a name: it can send but not be replied to. **Suspends** never.
  ///
  /// @throws UnsupportedOperationException when the loop's driver does not support them
  public static DatagramSocket openDatagram() throws IOException {
    return datagram(null);
  }

  private static DatagramSocket datagram(@Nullable SocketAddress local) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    DatagramDescriptor descriptor =
        scheduler.reactor().driver().openDatagram(StandardProtocolFamily.UNIX);
    try {
      if (local != null) {
        descriptor.bind(local);
      }
      return new DatagramHandle(scheduler, descriptor, "UNIX datagram");
    } catch (SocketException e) {
      descriptor.close();
      BindException named = new BindException(local + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    } catch (IOException | RuntimeException e) {
      descriptor.close();
      throw e;
    }
  }

  // ---- peer credentials ----

  /// The credentials of a connection's peer: the process that connected or listened. **Suspends**
  /// never.
  ///
  /// @throws UnsupportedOperationException when it is not a UNIX socket, or the loop's driver does
  ///   not support it
  /// @throws java.nio.channels.ClosedChannelException when it is closed
  public static PeerCredentials peerCredentials(StreamSocket socket) throws IOException {
    return unix(socket, Capability.PEER_CREDENTIALS).peerCredentials();
  }

  private static SocketHandle unix(StreamSocket socket, Capability capability) throws IOException {
    driver().require(capability);
    if (!socket.isOpen()) {
      throw new ClosedChannelException();
    }
    if (socket instanceof SocketHandle handle && handle.isUnix()) {
      return handle;
    }
    throw new UnsupportedOperationException(socket + " is no UNIX socket: it has no " + capability);
  }

  // ---- descriptors ----

  /// Sends all of `bytes` and, with the first of them, open file descriptors, which the other
  /// process then has, too. **Suspends** while the other side does not accept them. **Cancelled**
  /// the buffer's position tells how much was sent; the descriptors were sent if any byte was.
  ///
  /// The handles stay open here and may be closed when the call returns.
  ///
  /// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=passing}
  ///
  /// @param bytes at least one: the system does not send descriptors alone
  /// @param handles connections, listeners, datagram sockets or pipes of this loop; files if the
  ///   driver itself opens them (io_uring). At most 253
  /// @throws UnsupportedOperationException when the loop's driver does not support it, the socket
  ///   is not a UNIX socket, or the file descriptor of a handle is not known
  /// @throws IllegalArgumentException without a byte, or for more than 253 handles
  /// @throws IOException when the connection fails or a handle is closed
  public static void sendDescriptors(
      StreamSocket socket, ByteBuffer bytes, AutoCloseable... handles) throws IOException {
    SocketHandle by = unix(socket, Capability.DESCRIPTOR_PASSING);
    if (!bytes.hasRemaining() || handles.length == 0 || handles.length > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "1 to %s descriptors are sent with at least one byte, not %s with %s"
              .formatted(MAX_DESCRIPTORS, handles.length, bytes.remaining()));
    }
    List<HasFileDescriptor> numbered = new ArrayList<>();
    for (AutoCloseable handle : handles) {
      if (!(handle instanceof HasFileDescriptor one)) {
        throw new UnsupportedOperationException(handle + " has no descriptor of its own");
      }
      numbered.add(one);
    }
    by.sendDescriptors(bytes, numbered);
  }

  /// Reads at least one byte, and the file descriptors sent with it; it never reads two messages
  /// with descriptors at once. The descriptors are close-on-exec. **Suspends** until there is a
  /// byte. **Cancelled** nothing is lost.
  ///
  /// All other reads of a socket drop descriptors that come with their bytes; the system closes
  /// them.
  ///
  /// @param into with room for at least one byte
  /// @param most the maximum number of descriptors, from 1 to 253
  /// @return the descriptors; closing it closes those that were not taken
  /// @throws IOException when more descriptors came than allowed, or this process cannot open as
  ///   many: all of them are closed, and the bytes are in the buffer; or when the connection fails
  /// @throws UnsupportedOperationException when the loop's driver does not support it, or the
  ///   socket is not a UNIX socket
  public static ReceivedDescriptors receiveDescriptors(
      StreamSocket socket, ByteBuffer into, int most) throws IOException {
    SocketHandle by = unix(socket, Capability.DESCRIPTOR_PASSING);
    if (!into.hasRemaining() || most < 1 || most > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "1 to %s descriptors are received with at least one byte, not %s with %s"
              .formatted(MAX_DESCRIPTORS, most, into.remaining()));
    }
    List<Descriptor> received = new ArrayList<>();
    int bytes = by.receiveDescriptors(into, most, received);
    return new ReceivedDescriptors(CoroutineNode.current().scheduler(), bytes, received);
  }
}
