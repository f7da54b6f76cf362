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
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Readiness through a [Selector]; until the first operation it merely parks the carrier, so a loop
/// without I/O has no descriptors of its own.
public final class JdkDriver implements ReactorDriver {
  /*
   * Coroutines only take notes here (fact 8: a selector's locks must not be met on a coroutine's stack); tick() turns the notes
   * into registrations.
   *
   * Interest stays set between waits: after an answer the owner usually waits again before the next look, and then nothing has
   * to be changed. A readiness that nobody waits for any more takes the interest away, once; a selector would report it for ever.
   *
   * wakeup() finds the carrier parked or selecting. The selector is opened inside a tick, when the carrier may already be
   * known to sleep: the tick that opens it only looks, so a wake-up that has found none is not slept over. Both ways are sticky.
   *
   * Sources. REACTOR 3, 5; traps 9, 16, 29.
   */
  static final String NAME = "jdk";
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final Support SELECTOR =
      Support.natively("a Selector tells, the JDK's channels act");
  private static final Map<Facility, Support> CAPABILITIES =
      Support.withThoseBesideTheLoop(
          Map.of(
              Facility.TCP, SELECTOR,
              Facility.UNIX, SELECTOR,
              Facility.UDP, SELECTOR,
              Facility.PIPE, SELECTOR,
              Facility.POLL, SELECTOR));

  private final Thread carrier;
  private final Set<JdkDescriptor> open = new HashSet<>();
  private final Set<JdkDescriptor> watched = new HashSet<>(); // of these: the owner may close them
  private final ArrayDeque<JdkDescriptor> noted = new ArrayDeque<>();
  private final Consumer<SelectionKey> onReady = this::ready;

  // written by the carrier, read by any thread
  private volatile @Nullable Selector selector;

  // loop only
  private int outstanding;
  private int answered;
  private boolean untidy;

  /// A driver for the loop whose carrier is the current thread.
  public JdkDriver() {
    this(Thread.currentThread());
  }

  JdkDriver(Thread carrier) {
    this.carrier = carrier;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Map<Facility, Support> capabilities() {
    return CAPABILITIES;
  }

  // ---- descriptors ----
  // the JDK's default is IPv6 with IPv4, or IPv4 where the system has no other

  @Override
  public SocketDescriptor openSocket(ProtocolFamily family) throws IOException {
    return new JdkSocket(
        this, nonBlocking(family == INET6 ? SocketChannel.open() : SocketChannel.open(family)));
  }

  @Override
  public ListenerDescriptor openListener(ProtocolFamily family) throws IOException {
    return new JdkListener(
        this,
        nonBlocking(
            family == INET6 ? ServerSocketChannel.open() : ServerSocketChannel.open(family)));
  }

  @Override
  public DatagramDescriptor openDatagram(ProtocolFamily family) throws IOException {
    return new JdkDatagram(
        this, nonBlocking(family == INET6 ? DatagramChannel.open() : DatagramChannel.open(family)));
  }

  @Override
  public PipeDescriptors openPipe() throws IOException {
    Pipe pipe = Pipe.open();
    return new PipeDescriptors(
        new JdkStream(this, nonBlocking(pipe.source())),
        new JdkStream(this, nonBlocking(pipe.sink())));
  }

  @Override
  public Descriptor watch(SelectableChannel channel) throws IOException {
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
    untidy |= descriptor.key != null;
  }

  // ---- notes, taken on a coroutine's stack ----

  @Override
  public void submit(Operation operation) {
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
  public void cancel(Operation operation) {
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
  public int tick(long deadlineNanos) {
    answered = 0;
    untidy = false;
    boolean hadNone = selector == null;
    for (JdkDescriptor r = noted.poll(); r != null; r = noted.poll()) {
      r.noted = false;
      apply(r);
    }
    tellOfClosed();
    if (answered > 0 || hadNone != (selector == null)) {
      // a wake-up that still found no selector has unparked a carrier that would now select
      look(NO_WAIT);
    } else {
      look(deadlineNanos);
    }
    return answered;
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
      SelectionKey key = r.key;
      if (key == null) {
        r.key = register(r, wanted);
      } else if ((key.interestOps() & wanted) != wanted) {
        key.interestOpsOr(wanted);
      }
    } catch (CancelledKeyException | ClosedChannelException e) {
      // it was open when the wait began: closed under it, before the driver came to see it
      answer(r, wanted, new AsynchronousCloseException());
    } catch (IOException e) {
      answer(r, wanted, e);
    }
  }

  private SelectionKey register(JdkDescriptor r, int wanted) throws IOException {
    try {
      return r.channel().register(selector(), wanted, r);
    } catch (CancelledKeyException e) {
      if (!r.channel().isOpen()) {
        throw e;
      }
      // watched no more a moment ago, and now again: the selector has yet to let the old key go
      selector().selectNow(onReady);
      return r.channel().register(selector(), wanted, r);
    }
  }

  private Selector selector() throws IOException {
    Selector s = selector;
    if (s == null) {
      s = Selector.open();
      selector = s;
    }
    return s;
  }

  private void look(long deadlineNanos) {
    Selector s = selector;
    if (s == null) {
      park(deadlineNanos);
      return;
    }
    try {
      if (deadlineNanos == NO_WAIT) {
        s.selectNow(onReady);
      } else if (deadlineNanos == FOREVER) {
        s.select(onReady);
      } else {
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          s.selectNow(onReady);
        } else {
          // rounded up: a timer never fires early
          s.select(onReady, left / NANOS_PER_MILLI + 1);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(
          "the selector failed; the loop cannot see its sockets any more", e);
    }
  }

  private void park(long deadlineNanos) {
    if (deadlineNanos == FOREVER) {
      LockSupport.park(this);
    } else if (deadlineNanos != NO_WAIT) {
      LockSupport.parkNanos(this, deadlineNanos - System.nanoTime());
    }
  }

  private void ready(SelectionKey key) {
    JdkDescriptor r = (JdkDescriptor) key.attachment();
    int ready;
    try {
      ready = key.readyOps();
      // a connected channel with OP_CONNECT left in its interest set would be reported for ever
      int unasked = ready & (~r.wanted() | SelectionKey.OP_CONNECT);
      if (unasked != 0) {
        key.interestOpsAnd(~unasked);
      }
    } catch (CancelledKeyException _) {
      ready = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    }
    answer(r, ready, null);
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
  public void wakeup() {
    Selector s = selector;
    if (s == null) {
      LockSupport.unpark(carrier);
    } else {
      s.wakeup();
    }
  }

  @Override
  public void close() {
    List.copyOf(open).forEach(JdkDescriptor::close);
    Selector s = selector;
    if (s != null) {
      try {
        s.selectNow(); // lets go of the channels closed above
        s.close();
      } catch (IOException e) {
        System.getLogger("dev.heddle")
            .log(System.Logger.Level.WARNING, "while closing the driver", e);
      }
    }
  }
}
