// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.netty.handler.DrivenHandler;
import dev.heddle.netty.handler.NettyDriver;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Facility;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.Operation;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.StreamDescriptor;
import dev.heddle.reactor.driver.Support;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A driver whose descriptors are read and written by direct calls that never wait, and watched,
/// once and for all, by edge.
public abstract class UnixDriver implements NettyDriver {
  /*
   * Coroutines only take notes here (fact 8 of the design); tick() turns the notes into watches. A descriptor is watched from its first
   * wait until it is closed, in both directions: a wait costs no call of the system.
   *
   * States of a descriptor.  OPEN --first wait, in a tick--> WATCHED --close()--> ENDING --the system's last word--> GONE
   *                          OPEN --close()--> GONE
   * ENDING is as long as the watch needs, see Watch; `ending` counts these, so that the loop looks and close() waits for them.
   * A number is given back when nothing of the system's refers to it, and what still comes for its watch meets an object, not a number.
   *
   * Sources. REACTOR 3, 5, 6; traps 9, 16, 28, 29; decision 0016.
   */
  private static final int TURNS_TO_END = 100;
  private static final long TURN_NANOS = 10_000_000; // so a second in all
  private static final int STAGE = 64 << 10; // bytes; the largest datagram fits

  private final DrivenHandler handler;
  private final @Nullable Outbox outbox;
  private final Set<UnixDescriptor> open = new HashSet<>();
  private final Set<AdoptedChannel<?>> adopted = new HashSet<>();
  private final Lingering lingering = new Lingering();
  private final ArrayDeque<UnixDescriptor> noted = new ArrayDeque<>();
  private final @Nullable SocketCalls calls = SocketCalls.open();

  // loop only
  private @Nullable ByteBuffer stage;
  private @Nullable ChannelWatcher watcher;
  private @Nullable RawWaits raw;
  private int outstanding;
  private int ending;
  private int answered;

  /// A driver for a loop.
  protected UnixDriver(DriverHost host, IoHandlerFactory factory) {
    this(host, factory, null);
  }

  /// A driver for a loop whose watches of sockets send, too.
  protected UnixDriver(DriverHost host, IoHandlerFactory factory, @Nullable Outbox outbox) {
    this.handler = new DrivenHandler(host, factory);
    this.outbox = outbox;
  }

  /// Begins to watch a descriptor, in a tick. What is ready already is told as an edge.
  protected abstract Watch watch(IoHandler handler, UnixDescriptor descriptor) throws IOException;

  /// Whether watches tell of TCP's urgent data when there is some, and only then.
  protected boolean tellsOfUrgentData() {
    return false;
  }

  /// Hands over, in a tick, what is done by completion.
  ///
  /// @return whether more is to be handed over soon: this turn is not to wait
  protected boolean begin() {
    return false;
  }

  /// Whether something done by completion is to come.
  protected boolean isWorking() {
    return false;
  }

  /// Ends what is done by completion; the loop has ended.
  protected void finish() {}

  /// Something done by completion has been answered, in a tick.
  public final void hasAnswered() {
    answered++;
  }

  /// Takes turns until something is over, and for a second at most.
  protected final void turnUntil(BooleanSupplier isOver) {
    for (int turns = 0; !isOver.getAsBoolean() && turns < TURNS_TO_END; turns++) {
      handler.turn(begin() ? NO_WAIT : System.nanoTime() + TURN_NANOS);
    }
  }

  /// A watch that has been ended has a word to come.
  public final void endingBegins() {
    ending++;
  }

  /// A watch that has been ended is over.
  public final void endingIsOver() {
    ending--;
  }

  @Override
  public final DrivenHandler handler() {
    return handler;
  }

  // ---- descriptors ----

  @Override
  public final SocketDescriptor openSocket(ProtocolFamily family) throws IOException {
    return new UnixSocket(this, opened(NativeSocket.stream(family)));
  }

  @Override
  public final ListenerDescriptor openListener(ProtocolFamily family) throws IOException {
    return new UnixListener(this, opened(NativeSocket.stream(family))); // heirs tell, too
  }

  private NativeSocket opened(NativeSocket socket) {
    if (calls != null && !socket.isUnix() && !tellsOfUrgentData()) {
      socket.tellWhatIsLeft();
    }
    return socket;
  }

  @Override
  public final DatagramDescriptor openDatagram(ProtocolFamily family) throws IOException {
    NativeSocket socket = NativeSocket.datagram(family);
    return socket.isUnix() ? new UnixPathDatagram(this, socket) : new UnixDatagram(this, socket);
  }

  @Override
  public final int number(Descriptor descriptor) throws IOException {
    require(Facility.DESCRIPTOR_PASSING);
    if (descriptor instanceof UnixDescriptor own && own.driver() == this) {
      own.requireOpen();
      own.share(); // who asks for a number passes it on
      return own.fd().intValue();
    }
    throw new UnsupportedOperationException(
        descriptor + " is a channel of the JDK's, which tells no number");
  }

  @Override
  public final void release(Descriptor descriptor) {
    ((UnixDescriptor) descriptor).release();
  }

  /// How files go to sockets where both have numbers.
  protected static Support sendsFiles() {
    Support bySystem = DescriptorCalls.support("sendfile(2), on threads beside the loop");
    return bySystem.level() == Support.Level.REFUSED ? Support.composed("a copy") : bySystem;
  }

  /// What is served the same way by all drivers of Linux.
  ///
  /// @param own what else the driver serves
  protected static Map<Facility, Support> servingLinux(Map<Facility, Support> own) {
    Map<Facility, Support> all = new EnumMap<>(own);
    Support unix = own.getOrDefault(Facility.UNIX, Support.refused("there are no UNIX sockets"));
    all.put(Facility.UNIX_DATAGRAM, unix);
    all.put(Facility.ABSTRACT_NAME, unix);
    all.put(Facility.PEER_CREDENTIALS, Support.natively("getsockopt, SO_PEERCRED"));
    all.put(
        Facility.ADOPTED_CHANNEL,
        Support.composed("the JDK's channels act, a Selector on a thread of its own tells"));
    all.put(
        Facility.ADOPTED_NUMBER,
        DescriptorCalls.support("as the driver's own, when getsockopt says that they are fit"));
    all.put(
        Facility.DESCRIPTOR_PASSING,
        DescriptorCalls.support("sendmsg and recvmsg, SCM_RIGHTS, close-on-exec"));
    return Support.withThoseBesideTheLoop(all);
  }

  @Override
  public final PipeDescriptors openPipe() throws IOException {
    NativePipe pipe = NativePipe.open();
    return new PipeDescriptors(
        new UnixPipeEnd(this, pipe.source(), true), new UnixPipeEnd(this, pipe.sink(), false));
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
    return channels().watch(channel);
  }

  private ChannelWatcher channels() throws IOException {
    ChannelWatcher w = watcher;
    if (w == null) {
      w = new ChannelWatcher(this::wakeup);
      watcher = w;
    }
    return w;
  }

  // ---- what others have opened ----

  @Override
  public final SocketDescriptor adopt(SocketChannel channel) throws IOException {
    ChannelWatcher by = channels();
    channel.configureBlocking(false);
    return new AdoptedSocket(this, by, channel);
  }

  @Override
  public final ListenerDescriptor adopt(ServerSocketChannel channel) throws IOException {
    ChannelWatcher by = channels();
    channel.configureBlocking(false);
    return new AdoptedListener(this, by, channel);
  }

  final void adopted(AdoptedChannel<?> channel) {
    adopted.add(channel);
  }

  final void adoptedNoMore(AdoptedChannel<?> channel) {
    adopted.remove(channel);
  }

  @Override
  public final SocketDescriptor adoptSocket(int number) throws IOException {
    require(Facility.ADOPTED_NUMBER);
    UnixSocket socket = new UnixSocket(this, opened(AdoptedNumbers.socket(number)), true);
    socket.share();
    return socket;
  }

  @Override
  public final StreamDescriptor adoptPipe(int number) throws IOException {
    require(Facility.ADOPTED_NUMBER);
    boolean isSource = AdoptedNumbers.isSource(number);
    return new UnixPipeEnd(this, new FileDescriptor(number), isSource);
  }

  @Override
  public final ListenerDescriptor adoptListener(int number) throws IOException {
    require(Facility.ADOPTED_NUMBER);
    UnixListener listener = new UnixListener(this, opened(AdoptedNumbers.listener(number)));
    listener.share();
    return listener;
  }

  @Override
  public final Descriptor watch(int number) throws IOException {
    if (capabilities().get(Facility.RAW_POLL) instanceof Support(Support.Level level, _)
        && level == Support.Level.REFUSED) {
      return NettyDriver.super.watch(number);
    }
    RawWaits r = raw;
    if (r == null) {
      r = new RawWaits(this);
      raw = r;
    }
    return r.watch(number);
  }

  final void opened(UnixDescriptor descriptor) {
    open.add(descriptor);
  }

  final void closed(UnixDescriptor descriptor) {
    open.remove(descriptor);
  }

  /// What leaves in the next turn; null: nothing does.
  final @Nullable Outbox outbox() {
    return outbox;
  }

  /// How sockets receive; null: as Netty does.
  final @Nullable SocketCalls calls() {
    return calls;
  }

  /// It is closed, and stays until what it has to send has left.
  final void lingers(UnixSocket socket) {
    lingering.add(socket);
    ending++;
  }

  final boolean isLingering(UnixDescriptor descriptor) {
    return lingering.contains(descriptor);
  }

  final void lingersNoMore(UnixSocket socket) {
    lingering.remove(socket);
    ending--;
  }

  /// Where bytes of the heap stand during a call of the system.
  final ByteBuffer stage() {
    ByteBuffer s = stage;
    if (s == null) {
      s = ByteBuffer.allocateDirect(STAGE);
      stage = s;
    }
    return s.clear();
  }

  // ---- notes, taken on a coroutine's stack ----

  @Override
  public final void submit(Operation operation) {
    if (operation.descriptor() instanceof WatchedChannel channel && isOurs(channel)) {
      submit(operation, channel);
      return;
    }
    if (raw != null && raw.owns(operation)) {
      operation.submitted();
      outstanding++;
      raw.submit(operation);
      return;
    }
    UnixDescriptor descriptor = own(operation);
    operation.submitted();
    boolean forInput = operation.kind() == Operation.Kind.POLL_INPUT;
    if (descriptor.isReady(forInput ? UnixDescriptor.IN : UnixDescriptor.OUT)) {
      operation.complete(null);
      return;
    }
    outstanding++;
    if (forInput) {
      descriptor.input = operation;
    } else {
      descriptor.output = operation;
    }
    if (descriptor.watch == null && !descriptor.noted) {
      descriptor.noted = true;
      noted.add(descriptor);
    }
  }

  private void submit(Operation operation, WatchedChannel channel) {
    operation.submitted();
    outstanding++;
    if (operation.kind() == Operation.Kind.POLL_INPUT) {
      channel.input = operation;
    } else {
      channel.output = operation;
    }
    channel.watcher().ask(channel, operation);
  }

  @Override
  public final void cancel(Operation operation) {
    boolean forInput = operation.kind() == Operation.Kind.POLL_INPUT;
    if (operation.descriptor() instanceof WatchedChannel channel && isOurs(channel)) {
      channel.input = forInput ? null : channel.input;
      channel.output = forInput ? channel.output : null;
    } else if (raw != null && raw.owns(operation)) {
      raw.cancel(operation);
    } else {
      UnixDescriptor descriptor = own(operation);
      descriptor.input = forInput ? null : descriptor.input;
      descriptor.output = forInput ? descriptor.output : null;
    }
    operation.cancelled();
    outstanding--;
  }

  private boolean isOurs(WatchedChannel channel) {
    return channel.watcher() == watcher;
  }

  private UnixDescriptor own(Operation operation) {
    if (operation.descriptor() instanceof UnixDescriptor own && own.driver() == this) {
      return own;
    }
    throw new IllegalStateException(operation + ": its descriptor is of another driver");
  }

  @Override
  public boolean wouldOnlyTellAgain() {
    return outstanding == 0;
  }

  @Override
  public final boolean isArmed() {
    return outstanding > 0
        || ending > 0
        || handler.isArmed()
        || isWorking()
        || (outbox != null && outbox.hasTaken());
  }

  // ---- the carrier ----

  @Override
  public final int tick(long deadlineNanos) {
    answered = 0;
    boolean was = handler.isOpen();
    lingering.giveUpLate();
    for (UnixDescriptor d = noted.poll(); d != null; d = noted.poll()) {
      d.noted = false;
      apply(d);
    }
    ChannelWatcher w = watcher;
    if (w != null) {
      w.deliver(this);
    }
    boolean more = begin();
    if (outbox != null) {
      outbox.flush();
    }
    // a wake-up that found no handler has unparked a carrier that would now poll
    boolean looks = more || answered > 0 || was != handler.isOpen();
    handler.turn(looks ? NO_WAIT : lingering.soonest(deadlineNanos));
    if (w != null) {
      w.deliver(this);
    }
    if (outbox != null) {
      outbox.turned(answered);
    }
    return answered;
  }

  private void apply(UnixDescriptor d) {
    if (d.input == null && d.output == null) {
      return;
    }
    if (d.isClosed()) {
      // its number may be somebody else's by now
      d.failed(new AsynchronousCloseException());
      return;
    }
    try {
      d.watch = watch(handler.open(), d);
    } catch (IOException e) {
      d.failed(d.fd().isOpen() ? e : new AsynchronousCloseException());
    } catch (RuntimeException e) {
      // Netty's word for a system that has no descriptor or memory left
      d.failed(new IOException("the driver " + name() + " cannot watch: " + e.getMessage(), e));
    }
  }

  final void answer(Operation operation, @Nullable IOException error) {
    outstanding--;
    answered++;
    operation.complete(error);
  }

  @Override
  public final void wakeup() {
    handler.wakeup();
  }

  @Override
  public final void close() {
    List.copyOf(open).forEach(UnixDescriptor::close);
    List.copyOf(adopted).forEach(AdoptedChannel::close);
    if (watcher != null) {
      watcher.close();
    }
    // bounded: the system lets go of sockets and pipes at once
    turnUntil(() -> ending == 0);
    ending -= lingering.size();
    List<Lingering.Rest> rests = lingering.handOver();
    if (ending > 0) {
      AsyncLog.shared()
          .warning(
              "the driver " + name() + " leaves " + ending + " descriptors that did not close",
              null);
    }
    finish();
    handler.close();
    Lingering.leave(name(), rests);
  }
}
