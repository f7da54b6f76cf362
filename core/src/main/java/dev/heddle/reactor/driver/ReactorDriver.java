// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A loop's interface to the operating system. The rest of the reactor is portable code above it.
///
/// A driver opens non-blocking descriptors and reports their readiness: the caller tries, waits for
/// readiness if the call would block, and tries again. Readiness may be edge- or level-triggered: a
/// caller that got less than it requested waits for the next report, and a descriptor whose peer
/// has hung up is always ready.
///
/// **Thread** the carrier, or a coroutine mounted on it, for methods that open descriptors: they
/// take no lock that a poll also takes. Only the carrier for [#poll] and [#close]. Any thread for
/// [#wakeup].
public interface ReactorDriver {
  /// A deadline for a non-blocking poll.
  long NO_WAIT = Long.MIN_VALUE;

  /// A deadline for a poll without a time limit.
  long NO_DEADLINE = Long.MAX_VALUE;

  /// The driver's name.
  String name();

  /// The support of each capability. Capabilities that are not listed are unsupported.
  Map<Capability, Support> capabilities();

  // ---- descriptors; close() closes those still open ----
  // by default unsupported, with the reason in capabilities(); the family INET6 also serves IPv4,
  // and is IPv4 only on a system without IPv6

  /// Opens a stream socket, neither bound nor connected.
  default SocketDescriptor openSocket(ProtocolFamily family) throws IOException {
    throw refusal(family == StandardProtocolFamily.UNIX ? Capability.UNIX : Capability.TCP);
  }

  /// Opens an unbound socket to listen on.
  default ListenerDescriptor openListener(ProtocolFamily family) throws IOException {
    throw refusal(family == StandardProtocolFamily.UNIX ? Capability.UNIX : Capability.TCP);
  }

  /// Opens an unbound datagram socket, UDP or UNIX.
  default DatagramDescriptor openDatagram(ProtocolFamily family) throws IOException {
    throw refusal(
        family == StandardProtocolFamily.UNIX ? Capability.UNIX_DATAGRAM : Capability.UDP);
  }

  /// Adopts a channel of other code, connected or not, which the driver then owns.
  default SocketDescriptor adopt(SocketChannel channel) throws IOException {
    throw refusal(Capability.ADOPTED_CHANNEL);
  }

  /// Adopts a listening channel of other code, which the driver then owns.
  default ListenerDescriptor adopt(ServerSocketChannel channel) throws IOException {
    throw refusal(Capability.ADOPTED_CHANNEL);
  }

  /// Adopts a stream socket by its file descriptor, which the driver then owns.
  ///
  /// @throws IOException when the descriptor is not open or is something else; it then stays as it
  ///   is
  default SocketDescriptor adoptSocket(int number) throws IOException {
    throw refusal(Capability.ADOPTED_DESCRIPTOR);
  }

  /// Adopts a listening socket by its file descriptor. Otherwise as [#adoptSocket].
  ///
  /// @throws dev.heddle.io.DescriptorTypeException when it is a valid descriptor of another kind;
  ///   not for a stream socket that neither listens nor is connected
  default ListenerDescriptor adoptListener(int number) throws IOException {
    throw refusal(Capability.ADOPTED_DESCRIPTOR);
  }

  /// Adopts an end of a pipe by its file descriptor, to read or to write, as it was opened.
  /// Otherwise as [#adoptSocket].
  default StreamDescriptor adoptPipe(int number) throws IOException {
    throw refusal(Capability.ADOPTED_DESCRIPTOR);
  }

  /// The file descriptor of a descriptor of this driver.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed
  default int fd(Descriptor descriptor) throws IOException {
    throw refusal(Capability.DESCRIPTOR_PASSING);
  }

  /// Releases a descriptor that was received or adopted and never armed, without closing it: the
  /// caller owns its file descriptor.
  default void release(Descriptor descriptor) {
    throw refusal(Capability.DESCRIPTOR_PASSING);
  }

  default PipeDescriptors openPipe() throws IOException {
    throw refusal(Capability.PIPE);
  }

  /// Polls a non-blocking channel of other code. Closing the returned descriptor only ends the
  /// polling.
  default Descriptor watch(SelectableChannel channel) throws IOException {
    throw refusal(Capability.POLL);
  }

  /// Polls a file descriptor of other code. Closing the returned descriptor only ends the polling.
  /// The file descriptor is checked at once, and registered with the system only while a listener
  /// is armed.
  default Descriptor watch(int number) throws IOException {
    throw refusal(Capability.RAW_POLL);
  }

  /// The driver's file I/O; null if worker threads do it. Always the same value.
  default @Nullable FileDriver files() {
    return null;
  }

  /// Throws for an unsupported capability.
  ///
  /// @throws UnsupportedOperationException naming the driver and the reason
  default void require(Capability capability) {
    Support support = capabilities().get(capability);
    if (support == null || support.level() == Support.Level.UNSUPPORTED) {
      throw refusal(capability);
    }
  }

  private UnsupportedOperationException refusal(Capability capability) {
    Support support = capabilities().get(capability);
    return new UnsupportedOperationException(
        "the driver "
            + name()
            + " has no "
            + capability
            + (support == null ? "" : ": " + support.description()));
  }

  // ---- the carrier ----

  /// Whether a poll could report anything or has clean-up to do.
  boolean isArmed();

  /// Whether an embedded event loop on this driver may still produce work, by a channel or a timer.
  /// The loop then does not count as deadlocked.
  default boolean hasEmbeddedEventLoop() {
    return false;
  }

  /// Delivers readiness and completions, waiting for them until `deadlineNanos`, by the loop's
  /// clock, or a wake-up.
  ///
  /// @return the number of listeners and operations notified
  int poll(long deadlineNanos);

  /// Ends the current or the next blocking poll. **Thread** any; never blocks.
  void wakeup();

  /// Closes every open descriptor and releases the driver's resources.
  void close();
}
