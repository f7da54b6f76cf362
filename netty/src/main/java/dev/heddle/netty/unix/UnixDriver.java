// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.netty.handler.NettyDriver;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.reactor.driver.ReadinessCounts;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.StreamDescriptor;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.jdk.Channels;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A driver whose descriptors are read and written by direct non-blocking calls, and registered
/// once, edge-triggered.
public abstract class UnixDriver implements NettyDriver {
  /*
   * A coroutine only queues a descriptor; poll() registers it. A descriptor is registered from its
   * first wait until it is closed, for both directions, so a wait costs no system call.
   * UnixDescriptor has its states.
   *
   * A descriptor is closed when the system no longer refers to it, and late reports of its
   * registration reach an object, not a reused number. The driver polls while descriptors are being
   * closed, and its close() waits for them.
   *
   * Sources. trap-9, trap-16, trap-28, trap-29; decision 0016.
   */
  private static final int TURNS_TO_END = 100;
  private static final long TURN_NANOS = 10_000_000; // a second in all

  private final Transport transport;
  private final Registrar registrar;
  private final IoHandlerAdapter handler;
  private final DescriptorRegistry registry;
  private final UnixDescriptor.Registration registration = this::register;

  // loop only
  private @Nullable SelectorThread selectorThread;
  private @Nullable RawPoller raw;

  /// Creates a driver for a loop.
  ///
  /// @param sendBatch for registrations that also send; null: sends are direct
  protected UnixDriver(
      DriverHost host,
      IoHandlerFactory factory,
      Transport transport,
      Registrar registrar,
      @Nullable SendBatch sendBatch) {
    this.transport = transport;
    this.registrar = registrar;
    this.handler = new IoHandlerAdapter(host, factory);
    this.registry = new DescriptorRegistry(transport.reportsUrgentData(), sendBatch);
  }

  // ---- implemented by subclasses ----

  /// Registers descriptors.
  @FunctionalInterface
  protected interface Registrar {
    /// Registers a descriptor, in a poll. Existing readiness is reported as an edge.
    EdgeRegistration register(IoHandler handler, UnixDescriptor descriptor) throws IOException;
  }

  /// Submits completion-based operations, in a poll.
  ///
  /// @return whether more will be submitted soon: this turn must not block
  protected boolean begin() {
    return false;
  }

  /// Whether completion-based operations are pending.
  protected boolean isWorking() {
    return false;
  }

  /// Ends completion-based operations; the loop has ended.
  protected void finish() {}

  /// Runs turns until a condition holds, for a second at most.
  protected final void turnUntil(BooleanSupplier isOver) {
    for (int turns = 0; !isOver.getAsBoolean() && turns < TURNS_TO_END; turns++) {
      handler.turn(begin() ? NO_WAIT : System.nanoTime() + TURN_NANOS);
    }
  }

  /// Counts of the notifications of listeners and operations.
  protected final ReadinessCounts counts() {
    return registry.counts;
  }

  @Override
  public final String name() {
    return transport.name();
  }

  @Override
  public final ChannelTypes channelTypes() {
    return transport.channels();
  }

  @Override
  public final Map<Capability, Support> capabilities() {
    return transport.capabilities();
  }

  @Override
  public final IoHandlerAdapter handler() {
    return handler;
  }

  // ---- descriptors ----

  @Override
  public final SocketDescriptor openSocket(ProtocolFamily family) throws IOException {
    return new UnixSocket(registry, opened(NativeSocket.stream(family)));
  }

  @Override
  public final ListenerDescriptor openListener(ProtocolFamily family) throws IOException {
    return new UnixListener(registry, opened(NativeSocket.stream(family))); // TCP_INQ is inherited
  }

  private NativeSocket opened(NativeSocket socket) {
    if (registry.calls != null && !socket.isUnix() && !registry.reportsUrgentData) {
      socket.enableRemainingBytes();
    }
    return socket;
  }

  @Override
  public final DatagramDescriptor openDatagram(ProtocolFamily family) throws IOException {
    return new UnixDatagram(registry, NativeSocket.datagram(family));
  }

  @Override
  public final int fd(Descriptor descriptor) throws IOException {
    require(Capability.DESCRIPTOR_PASSING);
    if (descriptor instanceof UnixDescriptor own) {
      own.requireOpen();
      own.share(); // the caller passes the descriptor on
      return own.fd().intValue();
    }
    throw new UnsupportedOperationException(
        descriptor + " is a JDK channel, whose file descriptor is not accessible");
  }

  @Override
  public final void release(Descriptor descriptor) {
    ((UnixDescriptor) descriptor).release();
  }

  @Override
  public final PipeDescriptors openPipe() throws IOException {
    NativePipe pipe = NativePipe.open();
    return new PipeDescriptors(
        new UnixPipeEnd(registry, pipe.source(), true),
        new UnixPipeEnd(registry, pipe.sink(), false));
  }

  // ---- descriptors of other code ----

  @Override
  public final Descriptor watch(SelectableChannel channel) throws IOException {
    return Channels.watch(channels(), channel);
  }

  @Override
  public final SocketDescriptor adopt(SocketChannel channel) throws IOException {
    return Channels.adopt(channels(), channel);
  }

  @Override
  public final ListenerDescriptor adopt(ServerSocketChannel channel) throws IOException {
    return Channels.adopt(channels(), channel);
  }

  private SelectorThread channels() throws IOException {
    SelectorThread w = selectorThread;
    if (w == null) {
      w = new SelectorThread(registry.counts, this::wakeup);
      selectorThread = w;
    }
    return w;
  }

  @Override
  public final SocketDescriptor adoptSocket(int number) throws IOException {
    require(Capability.ADOPTED_DESCRIPTOR);
    UnixSocket socket = new UnixSocket(registry, opened(AdoptedDescriptors.socket(number)), true);
    socket.share();
    return socket;
  }

  @Override
  public final StreamDescriptor adoptPipe(int number) throws IOException {
    require(Capability.ADOPTED_DESCRIPTOR);
    boolean isSource = AdoptedDescriptors.isSource(number);
    return new UnixPipeEnd(registry, new FileDescriptor(number), isSource);
  }

  @Override
  public final ListenerDescriptor adoptListener(int number) throws IOException {
    require(Capability.ADOPTED_DESCRIPTOR);
    UnixListener listener = new UnixListener(registry, opened(AdoptedDescriptors.listener(number)));
    listener.share();
    return listener;
  }

  @Override
  public final Descriptor watch(int number) throws IOException {
    require(Capability.RAW_POLL);
    RawPoller r = raw;
    if (r == null) {
      r = new RawPoller(registry);
      raw = r;
    }
    return r.watch(number);
  }

  // ---- the carrier ----

  @Override
  public boolean wouldOnlyRepeat() {
    return counts().armed() == 0;
  }

  @Override
  public final boolean isArmed() {
    SendBatch sendBatch = registry.sendBatch;
    return counts().armed() > 0
        || registry.closing > 0
        || handler.isArmed()
        || isWorking()
        || (sendBatch != null && sendBatch.hasQueued());
  }

  @Override
  public final int poll(long deadlineNanos) {
    ReadinessCounts counts = counts();
    SendBatch sendBatch = registry.sendBatch;
    counts.beginPoll();
    boolean was = handler.isOpen();
    registry.lingering.resetExpired();
    for (UnixDescriptor d = registry.pending.poll(); d != null; d = registry.pending.poll()) {
      d.register(registration);
    }
    deliverChannels();
    boolean more = begin();
    if (sendBatch != null) {
      sendBatch.flush();
    }
    // a wake-up before the handler existed has unparked the carrier, which must not block in this
    // poll
    boolean noWait = more || counts.notified() > 0 || was != handler.isOpen();
    handler.turn(noWait ? NO_WAIT : registry.lingering.nextDeadline(deadlineNanos));
    deliverChannels();
    if (sendBatch != null) {
      sendBatch.turnEnded(counts.notified());
    }
    return counts.notified();
  }

  private void deliverChannels() {
    if (selectorThread != null) {
      selectorThread.deliver();
    }
  }

  private EdgeRegistration register(UnixDescriptor descriptor) throws IOException {
    try {
      return registrar.register(handler.open(), descriptor);
    } catch (RuntimeException e) {
      // Netty's exception when the system has no descriptor or memory left
      throw new IOException("the driver " + name() + " cannot poll: " + e.getMessage(), e);
    }
  }

  @Override
  public final void wakeup() {
    handler.wakeup();
  }

  @Override
  public final void close() {
    List.copyOf(registry.open).forEach(UnixDescriptor::close);
    if (selectorThread != null) {
      selectorThread.close();
    }
    // bounded: the system releases sockets and pipes at once
    turnUntil(() -> registry.closing == 0);
    int left = registry.closing - registry.lingering.size();
    List<Lingering.UnsentTail> rests = registry.lingering.handOver();
    if (left > 0) {
      String what =
          "the driver %s leaves %d descriptors that did not close".formatted(name(), left);
      AsyncLog.shared().warning(what, null);
    }
    finish();
    handler.close();
    Lingering.leave(name(), rests);
  }
}
