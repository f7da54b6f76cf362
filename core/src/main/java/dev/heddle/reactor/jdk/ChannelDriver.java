// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import static java.net.StandardProtocolFamily.INET6;

import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.ReadinessCounts;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.linux.EpollSet;
import dev.heddle.reactor.linux.RawPollThread;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A driver whose descriptors are JDK channels. A subclass reports their readiness,
/// level-triggered.
public abstract class ChannelDriver implements ReactorDriver, ChannelPoller {
  /*
   * A coroutine must not take a selector's locks. So on a coroutine's stack a descriptor is only
   * queued, and poll() registers the queued ones.
   *
   * Interest stays set between waits: after a notification the owner usually waits again before the
   * next poll, and then nothing needs to change. The first readiness for which no listener waits
   * clears the interest; a selector would report it at every poll.
   *
   * A wake-up may only unpark the carrier although the carrier would block in the selector now,
   * because the first channel was registered in the same poll. That poll does not block, so the
   * wake-up is not lost.
   *
   * Sources. trap-9, trap-16, trap-29.
   */
  private static final Support RAW =
      EpollSet.support(Support.emulated("epoll on a thread of its own"));
  private static final String ELSEWHERE = "use the driver epoll or io_uring";

  private final ReadinessCounts counts = new ReadinessCounts();
  private final Set<JdkDescriptor> open = new HashSet<>();
  private final Set<JdkDescriptor> watched = new HashSet<>(); // owned, and closed, by other code
  private final ArrayDeque<JdkDescriptor> pending = new ArrayDeque<>();

  // loop only
  private @Nullable RawPollThread raw;
  private boolean hasCancelledKeys;

  protected ChannelDriver() {}

  /// The capabilities of such a driver.
  ///
  /// @param how its support for channels
  protected static Map<Capability, Support> serving(Support how) {
    Map<Capability, Support> all =
        new EnumMap<>(
            Map.of(
                Capability.TCP, how,
                Capability.UNIX, how,
                Capability.UDP, how,
                Capability.ADOPTED_CHANNEL, how,
                Capability.PIPE, how,
                Capability.POLL, how,
                Capability.RAW_POLL, RAW));
    all.put(
        Capability.SENDFILE,
        Support.emulated("FileChannel.transferTo, on worker threads of the loop"));
    all.put(Capability.UNIX_DATAGRAM, Support.unsupported("the JDK has none; " + ELSEWHERE));
    all.put(
        Capability.ABSTRACT_ADDRESS,
        Support.unsupported("the JDK has names of files only; " + ELSEWHERE));
    all.put(
        Capability.PEER_CREDENTIALS,
        Support.unsupported(
            "the JDK reports names, not ids: use the option SO_PEERCRED of"
                + " jdk.net.ExtendedSocketOptions, or "
                + ELSEWHERE));
    Support noNumbers =
        Support.unsupported("JDK channels do not expose file descriptors; " + ELSEWHERE);
    all.put(Capability.DESCRIPTOR_PASSING, noNumbers);
    all.put(Capability.ADOPTED_DESCRIPTOR, noNumbers);
    return Support.withOffloaded(all);
  }

  // ---- implemented by subclasses ----

  /// Registers a channel, in a poll. The subclass passes its readiness to [#ready].
  ///
  /// @throws CancelledKeyException when the channel is closed, or its old key is still registered
  protected abstract Interest register(JdkDescriptor descriptor, int ops) throws IOException;

  /// Whether a channel was ever registered.
  protected abstract boolean isOpen();

  /// Reports what is ready, and waits for it until `deadlineNanos` or a wake-up; deregisters closed
  /// channels.
  protected abstract void select(long deadlineNanos);

  /// Reports what is ready, and closes the selector.
  protected abstract void release();

  // ---- descriptors ----

  // the JDK's default is IPv6 with IPv4, or IPv4 alone on a system without IPv6

  @Override
  public final SocketDescriptor openSocket(ProtocolFamily family) throws IOException {
    return Channels.adopt(
        this, family == INET6 ? SocketChannel.open() : SocketChannel.open(family));
  }

  @Override
  public final ListenerDescriptor openListener(ProtocolFamily family) throws IOException {
    return Channels.adopt(
        this, family == INET6 ? ServerSocketChannel.open() : ServerSocketChannel.open(family));
  }

  @Override
  public final SocketDescriptor adopt(SocketChannel channel) throws IOException {
    return Channels.adopt(this, channel);
  }

  @Override
  public final ListenerDescriptor adopt(ServerSocketChannel channel) throws IOException {
    return Channels.adopt(this, channel);
  }

  @Override
  public final DatagramDescriptor openDatagram(ProtocolFamily family) throws IOException {
    if (family == StandardProtocolFamily.UNIX) {
      require(Capability.UNIX_DATAGRAM);
    }
    return new JdkDatagram(
        this,
        Channels.nonBlocking(
            family == INET6 ? DatagramChannel.open() : DatagramChannel.open(family)));
  }

  @Override
  public final PipeDescriptors openPipe() throws IOException {
    Pipe pipe = Pipe.open();
    return new PipeDescriptors(
        new JdkStream(this, Channels.nonBlocking(pipe.source())),
        new JdkStream(this, Channels.nonBlocking(pipe.sink())));
  }

  @Override
  public final Descriptor watch(SelectableChannel channel) {
    return Channels.watch(this, channel);
  }

  @Override
  public final Descriptor watch(int number) throws IOException {
    require(Capability.RAW_POLL);
    RawPollThread w = raw;
    if (w == null) {
      w = new RawPollThread(counts, this::wakeup);
      raw = w;
    }
    return w.descriptors().watch(number);
  }

  // ---- for the descriptors ----

  @Override
  public final ReadinessCounts counts() {
    return counts;
  }

  @Override
  public final void opened(JdkDescriptor descriptor) {
    (descriptor.isOwner() ? open : watched).add(descriptor);
  }

  @Override
  public final void armed(JdkDescriptor descriptor, Direction direction) {
    if (!descriptor.pending) {
      descriptor.pending = true;
      pending.add(descriptor);
    }
  }

  @Override
  public final void closed(JdkDescriptor descriptor) {
    (descriptor.isOwner() ? open : watched).remove(descriptor);
    Interest interest = descriptor.interest;
    if (interest != null) {
      hasCancelledKeys = true; // the selector frees a closed channel's descriptor at the next poll
      if (!descriptor.isOwner()) {
        interest.cancel();
      }
    }
  }

  @Override
  public boolean isArmed() {
    return counts.armed() > 0 || hasCancelledKeys;
  }

  // ---- the carrier ----

  @Override
  public final int poll(long deadlineNanos) {
    counts.beginPoll();
    hasCancelledKeys = false;
    boolean was = isOpen();
    for (JdkDescriptor d = pending.poll(); d != null; d = pending.poll()) {
      d.pending = false;
      register(d);
    }
    notifyOfClosed();
    notifyOfRaw();
    select(counts.notified() > 0 || was != isOpen() ? NO_WAIT : deadlineNanos);
    notifyOfRaw();
    return counts.notified();
  }

  private void notifyOfRaw() {
    if (raw != null) {
      raw.deliver();
    }
  }

  // a selector does not report a channel that was closed
  private void notifyOfClosed() {
    for (JdkDescriptor channel : watched) {
      int wanted = channel.wanted();
      if (wanted != 0 && !channel.channel().isOpen()) {
        channel.complete(wanted, new AsynchronousCloseException());
      }
    }
  }

  private void register(JdkDescriptor d) {
    int wanted = d.wanted();
    if (wanted == 0) {
      return;
    }
    try {
      Interest interest = d.interest;
      if (interest == null) {
        d.interest = register(d, wanted);
      } else if ((interest.ops() & wanted) != wanted) {
        interest.ops(interest.ops() | wanted);
      }
    } catch (CancelledKeyException | ClosedChannelException e) {
      // it was open when the wait began, and closed before the driver registered it
      d.complete(wanted, new AsynchronousCloseException());
    } catch (IOException e) {
      d.complete(wanted, e);
    }
  }

  /// A channel is ready, in a poll.
  protected final void ready(JdkDescriptor d, int ready) {
    Interest interest = d.interest;
    int reported = ready;
    try {
      // a connected channel with OP_CONNECT left in its interest set would be reported at every
      // poll
      int unwanted = ready & (~d.wanted() | SelectionKey.OP_CONNECT);
      if (unwanted != 0 && interest != null) {
        interest.ops(interest.ops() & ~unwanted);
      }
    } catch (CancelledKeyException _) {
      reported = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    }
    d.complete(reported, null);
  }

  @Override
  public final void close() {
    if (raw != null) {
      raw.close();
    }
    List.copyOf(open).forEach(JdkDescriptor::close);
    List.copyOf(watched).forEach(JdkDescriptor::close);
    release();
  }
}
