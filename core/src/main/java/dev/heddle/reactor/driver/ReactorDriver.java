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

/// What a loop needs of the operating system. Everything else of the reactor is portable code above
/// it.
///
/// A driver opens descriptors whose calls return at once, and tells when it is worth calling again:
/// the caller tries, waits for readiness when there was nothing to do, and tries again. Readiness
/// may be told by edge or by level: a caller that found less than it asked for waits for the next
/// telling, and a descriptor that was hung up on is always ready.
///
/// **Thread** the carrier, or a coroutine mounted on it, for what opens: it runs on a coroutine's
/// stack and takes no lock that a tick takes, too. The carrier alone for [#poll] and [#close]. Any
/// thread for [#wakeup].
public interface ReactorDriver {
  /// A deadline that means: do not wait.
  long NO_WAIT = Long.MIN_VALUE;

  /// A deadline that means: wait until something happens.
  long NO_DEADLINE = Long.MAX_VALUE;

  /// As `heddle doctor` shows it, and as it is asked for.
  String name();

  /// How it serves what it serves. What is not listed it refuses.
  Map<Capability, Support> capabilities();

  // ---- descriptors; those still open when the driver closes are closed with it ----
  // by default refused, with the reason that capabilities() gives; the family INET6 serves IPv4,
  // too,
  // and is IPv4 alone where the system has no other

  /// A stream socket, neither bound nor connected.
  default SocketDescriptor openSocket(ProtocolFamily family) throws IOException {
    throw refusal(family == StandardProtocolFamily.UNIX ? Capability.UNIX : Capability.TCP);
  }

  /// A socket to listen on, not bound.
  default ListenerDescriptor openListener(ProtocolFamily family) throws IOException {
    throw refusal(family == StandardProtocolFamily.UNIX ? Capability.UNIX : Capability.TCP);
  }

  /// A datagram socket, UDP or UNIX, not bound.
  default DatagramDescriptor openDatagram(ProtocolFamily family) throws IOException {
    throw refusal(
        family == StandardProtocolFamily.UNIX ? Capability.UNIX_DATAGRAM : Capability.UDP);
  }

  /// A channel of other code, connected or not, which is the driver's from now on.
  default SocketDescriptor adopt(SocketChannel channel) throws IOException {
    throw refusal(Capability.ADOPTED_CHANNEL);
  }

  /// A channel of other code that listens, which is the driver's from now on.
  default ListenerDescriptor adopt(ServerSocketChannel channel) throws IOException {
    throw refusal(Capability.ADOPTED_CHANNEL);
  }

  /// A stream socket that another process has opened, which is the driver's from now on.
  ///
  /// @throws IOException when the number is that of nothing open, or of something else; then it
  ///   stays as it is
  default SocketDescriptor adoptSocket(int number) throws IOException {
    throw refusal(Capability.ADOPTED_DESCRIPTOR);
  }

  /// A socket that listens and that another process has opened. Else as [#adoptSocket].
  ///
  /// @throws dev.heddle.io.DescriptorTypeException when it is something sound that is no listener;
  ///   a socket for connections that neither listens nor is connected is not
  default ListenerDescriptor adoptListener(int number) throws IOException {
    throw refusal(Capability.ADOPTED_DESCRIPTOR);
  }

  /// An end of a pipe that another process has opened, to be read from or written to as it was
  /// opened. Else as [#adoptSocket].
  default StreamDescriptor adoptPipe(int number) throws IOException {
    throw refusal(Capability.ADOPTED_DESCRIPTOR);
  }

  /// The system's number of a descriptor of this driver.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed
  default int fd(Descriptor descriptor) throws IOException {
    throw refusal(Capability.DESCRIPTOR_PASSING);
  }

  /// Gives up a descriptor that was received, or adopted, and never waited for: the caller has its
  /// number, and closes it.
  default void release(Descriptor descriptor) {
    throw refusal(Capability.DESCRIPTOR_PASSING);
  }

  /// An anonymous pipe.
  default PipeDescriptors openPipe() throws IOException {
    throw refusal(Capability.PIPE);
  }

  /// A channel of other code, in non-blocking mode, to be watched only: to close the descriptor is
  /// to watch it no more.
  default Descriptor watch(SelectableChannel channel) throws IOException {
    throw refusal(Capability.POLL);
  }

  /// A descriptor of other code, to be watched only: to close what is returned is to watch it no
  /// more. Its number is asked about at once, and is the system's business only while a listener
  /// waits.
  default Descriptor watch(int number) throws IOException {
    throw refusal(Capability.RAW_POLL);
  }

  /// Serves files by itself; null: threads beside the loop do. Always the same answer.
  default @Nullable FileDriver files() {
    return null;
  }

  /// Refuses what it does not serve.
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

  /// Whether a look could bring something: a listener waits, or there is something to tidy up.
  boolean isArmed();

  /// Whether something of another library's on this driver, with no listener armed, may yet bring
  /// work: a channel, a timer. A loop whose driver says so is not taken for deadlocked.
  default boolean hasEmbeddedEventLoop() {
    return false;
  }

  /// Delivers what has completed, waiting for it until `deadlineNanos`, by the loop's clock, or a
  /// wake-up.
  ///
  /// @return how many listeners and operations were notified
  int poll(long deadlineNanos);

  /// Ends the current wait, or the next one. Any thread, sticky, never blocks.
  void wakeup();

  /// Closes every descriptor still open and releases the driver's own.
  void close();
}
