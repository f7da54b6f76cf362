// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import static java.net.StandardProtocolFamily.INET6;

import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Facility;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.Operation;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.raw.RawDescriptors;
import dev.heddle.reactor.raw.RawWatcher;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A driver whose descriptors are the JDK's channels. Who tells of their readiness, by level, is
/// its own.
public abstract class ChannelDriver implements ReactorDriver {
  /*
   * Coroutines only take notes here (fact 8: a selector's locks must not be met on a coroutine's stack); tick() turns the notes
   * into registrations.
   *
   * Interest stays set between waits: after an answer the owner usually waits again before the next look, and then nothing has
   * to be changed. A readiness that nobody waits for any more takes the interest away, once; a selector would report it for ever.
   *
   * A wake-up may find a carrier parked that would now look, because the first channel was registered in the same tick: that tick only
   * looks, so nothing is slept over.
   *
   * Sources. REACTOR 3, 5; traps 9, 16, 29.
   */
  private static final Support RAW =
      RawDescriptors.support(Support.composed("epoll tells, on a thread of its own"));

  private static final String ELSEWHERE = "take the driver epoll or io_uring";

  private final Set<JdkDescriptor> open = new HashSet<>();
  private final Set<JdkDescriptor> watched = new HashSet<>(); // of these: the owner may close them
  private final ArrayDeque<JdkDescriptor> noted = new ArrayDeque<>();

  // loop only
  private @Nullable RawWatcher raw;
  private int outstanding;
  private int answered;
  private boolean untidy;

  /// A driver with nothing open.
  protected ChannelDriver() {}

  /// What it serves.
  ///
  /// @param how it serves channels
  protected static Map<Facility, Support> serving(Support how) {
    Map<Facility, Support> all =
        new EnumMap<>(
            Map.of(
                Facility.TCP, how,
                Facility.UNIX, how,
                Facility.UDP, how,
                Facility.ADOPTED_CHANNEL, how,
                Facility.PIPE, how,
                Facility.POLL, how,
                Facility.RAW_POLL, RAW));
    all.put(
        Facility.SENDFILE, Support.composed("FileChannel.transferTo, on threads beside the loop"));
    all.put(Facility.UNIX_DATAGRAM, Support.refused("the JDK has none; " + ELSEWHERE));
    all.put(
        Facility.ABSTRACT_NAME, Support.refused("the JDK has names of files only; " + ELSEWHERE));
    all.put(
        Facility.PEER_CREDENTIALS,
        Support.refused(
            "the JDK tells names, not numbers: ask for the option SO_PEERCRED of"
                + " jdk.net.ExtendedSocketOptions; or "
                + ELSEWHERE));
    Support noNumbers =
        Support.refused("the JDK's channels have no descriptors' numbers; " + ELSEWHERE);
    all.put(Facility.DESCRIPTOR_PASSING, noNumbers);
    all.put(Facility.ADOPTED_NUMBER, noNumbers);
    return Support.withThoseBesideTheLoop(all);
  }

  // ---- who tells of readiness ----

  /// What was asked for a channel.
  public interface Interest {
    /// Which operations.
    ///
    /// @throws CancelledKeyException when the channel is closed
    int ops();

    /// Asks for exactly these.
    ///
    /// @throws CancelledKeyException when the channel is closed
    void ops(int ops);

    /// Asks no more.
    void cancel();
  }

  /// Begins to watch a channel, in a tick. What comes of it is told by [#ready].
  ///
  /// @throws CancelledKeyException when the channel is closed, or still to be forgotten
  protected abstract Interest register(JdkDescriptor descriptor, int ops) throws IOException;

  /// Whether a channel was ever registered.
  protected abstract boolean isOpen();

  /// Tells what is ready, waiting for it until `deadlineNanos` or a wake-up; forgets what is
  /// closed.
  protected abstract void look(long deadlineNanos);

  /// Tells what is ready, and goes.
  protected abstract void release();

  // ---- descriptors ----
  // the JDK's default is IPv6 with IPv4, or IPv4 where the system has no other

  @Override
  public final SocketDescriptor openSocket(ProtocolFamily family) throws IOException {
    return new JdkSocket(
        this, nonBlocking(family == INET6 ? SocketChannel.open() : SocketChannel.open(family)));
  }

  @Override
  public final ListenerDescriptor openListener(ProtocolFamily family) throws IOException {
    return new JdkListener(
        this,
        nonBlocking(
            family == INET6 ? ServerSocketChannel.open() : ServerSocketChannel.open(family)));
  }

  @Override
  public final SocketDescriptor adopt(SocketChannel channel) throws IOException {
    return new JdkSocket(this, nonBlocking(channel));
  }

  @Override
  public final ListenerDescriptor adopt(ServerSocketChannel channel) throws IOException {
    return new JdkListener(this, nonBlocking(channel));
  }

  @Override
  public final DatagramDescriptor openDatagram(ProtocolFamily family) throws IOException {
    if (family == StandardProtocolFamily.UNIX) {
      require(Facility.UNIX_DATAGRAM);
    }
    return new JdkDatagram(
        this, nonBlocking(family == INET6 ? DatagramChannel.open() : DatagramChannel.open(family)));
  }

  @Override
  public final PipeDescriptors openPipe() throws IOException {
    Pipe pipe = Pipe.open();
    return new PipeDescriptors(
        new JdkStream(this, nonBlocking(pipe.source())),
        new JdkStream(this, nonBlocking(pipe.sink())));
  }

  @Override
  public final Descriptor watch(SelectableChannel channel) throws IOException {
    if (channel.isBlocking()) {
      throw new IllegalBlockingModeException();
    }
    if (channel.provider() != SelectorProvider.provider()) {
      throw new IllegalArgumentException(
          channel + " is no channel of the JDK's: it cannot be watched");
    }
    WatchedChannel descriptor = new WatchedChannel(this, channel);
    watched.add(descriptor);
    return descriptor;
  }

  @Override
  public final Descriptor watch(int number) throws IOException {
    if (RAW.level() == Support.Level.REFUSED) {
      return ReactorDriver.super.watch(number);
    }
    RawWatcher w = raw;
    if (w == null) {
      w = new RawWatcher(this::give, this::wakeup);
      raw = w;
    }
    return w.descriptors().watch(number);
  }

  private static <C extends SelectableChannel> C nonBlocking(C channel) throws IOException {
    channel.configureBlocking(false);
    return channel;
  }

  void opened(JdkDescriptor descriptor) {
    open.add(descriptor);
  }

  void closed(JdkDescriptor descriptor) {
    open.remove(descriptor);
    watched.remove(descriptor);
    // the selector lets go of a closed channel, and so of its descriptor, at the next look
    untidy |= descriptor.interest != null;
  }

  // ---- notes, taken on a coroutine's stack ----

  @Override
  public final void submit(Operation operation) {
    if (raw != null && raw.descriptors().owns(operation)) {
      operation.submitted();
      outstanding++;
      IOException refused = raw.descriptors().ask(operation);
      if (refused != null) {
        give(operation, refused);
      }
      return;
    }
    JdkDescriptor descriptor = own(operation);
    operation.submitted();
    outstanding++;
    if (operation.kind() == Operation.Kind.POLL_INPUT) {
      descriptor.input = operation;
    } else {
      descriptor.output = operation;
    }
    if (!descriptor.noted) {
      descriptor.noted = true;
      noted.add(descriptor);
    }
  }

  @Override
  public final void cancel(Operation operation) {
    if (raw != null && raw.descriptors().owns(operation)) {
      operation.cancelled();
      outstanding--;
      raw.descriptors().withdraw(operation);
      return;
    }
    JdkDescriptor descriptor = own(operation);
    operation.cancelled();
    outstanding--;
    if (operation.kind() == Operation.Kind.POLL_INPUT) {
      descriptor.input = null;
    } else {
      descriptor.output = null;
    }
  }

  private JdkDescriptor own(Operation operation) {
    if (operation.descriptor() instanceof JdkDescriptor own && own.driver() == this) {
      return own;
    }
    throw new IllegalStateException(operation + ": its descriptor is of another driver");
  }

  @Override
  public boolean isArmed() {
    return outstanding > 0 || untidy;
  }

  // ---- the carrier ----

  @Override
  public final int tick(long deadlineNanos) {
    answered = 0;
    untidy = false;
    boolean was = isOpen();
    for (JdkDescriptor r = noted.poll(); r != null; r = noted.poll()) {
      r.noted = false;
      apply(r);
    }
    tellOfClosed();
    tellOfRaw();
    look(answered > 0 || was != isOpen() ? NO_WAIT : deadlineNanos);
    tellOfRaw();
    return answered;
  }

  private void tellOfRaw() {
    if (raw != null) {
      raw.deliver();
    }
  }

  // a selector lets a closed channel go without a word
  private void tellOfClosed() {
    for (JdkDescriptor channel : watched) {
      int wanted = channel.wanted();
      if (wanted != 0 && !channel.channel().isOpen()) {
        answer(channel, wanted, new AsynchronousCloseException());
      }
    }
  }

  private void apply(JdkDescriptor r) {
    int wanted = r.wanted();
    if (wanted == 0) {
      return;
    }
    try {
      Interest interest = r.interest;
      if (interest == null) {
        r.interest = register(r, wanted);
      } else if ((interest.ops() & wanted) != wanted) {
        interest.ops(interest.ops() | wanted);
      }
    } catch (CancelledKeyException | ClosedChannelException e) {
      // it was open when the wait began: closed under it, before the driver came to see it
      answer(r, wanted, new AsynchronousCloseException());
    } catch (IOException e) {
      answer(r, wanted, e);
    }
  }

  /// A channel is ready, in a look.
  ///
  /// @param ready for which operations
  protected final void ready(JdkDescriptor r, int ready) {
    Interest interest = r.interest;
    int told = ready;
    try {
      // a connected channel with OP_CONNECT left in its interest set would be reported for ever
      int unasked = ready & (~r.wanted() | SelectionKey.OP_CONNECT);
      if (unasked != 0 && interest != null) {
        interest.ops(interest.ops() & ~unasked);
      }
    } catch (CancelledKeyException _) {
      told = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    }
    answer(r, told, null);
  }

  private void answer(JdkDescriptor r, int ready, @Nullable Throwable error) {
    Operation input = r.input;
    Operation output = r.output;
    if (input != null && (ready & (SelectionKey.OP_READ | SelectionKey.OP_ACCEPT)) != 0) {
      r.input = null;
      give(input, error);
    }
    if (output != null && (ready & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT)) != 0) {
      r.output = null;
      give(output, error);
    }
  }

  private void give(Operation operation, @Nullable Throwable error) {
    outstanding--;
    answered++;
    operation.complete(error);
  }

  @Override
  public final void close() {
    if (raw != null) {
      raw.close();
    }
    List.copyOf(open).forEach(JdkDescriptor::close);
    release();
  }
}
