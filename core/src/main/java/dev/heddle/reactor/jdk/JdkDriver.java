// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.Descriptor;
import dev.heddle.reactor.Operation;
import dev.heddle.reactor.ReactorDriver;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.HashSet;
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
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Thread carrier = Thread.currentThread();
  private final Set<Descriptor> open = new HashSet<>();
  private final ArrayDeque<Registration> noted = new ArrayDeque<>();
  private final Consumer<SelectionKey> onReady = this::ready;

  // written by the carrier, read by any thread
  private volatile @Nullable Selector selector;

  // loop only
  private int outstanding;
  private int answered;
  private boolean untidy;

  /// A driver for the loop whose carrier is the current thread.
  public JdkDriver() {}

  /// What the selector keeps for one descriptor.
  private static final class Registration {
    final Descriptor descriptor;
    @Nullable SelectionKey key;
    @Nullable Operation input;
    @Nullable Operation output;
    boolean noted;

    Registration(Descriptor descriptor) {
      this.descriptor = descriptor;
    }

    int wanted() {
      return (input == null ? 0 : inputOps()) | (output == null ? 0 : outputOps());
    }

    int inputOps() {
      return descriptor.channel() instanceof ServerSocketChannel
          ? SelectionKey.OP_ACCEPT
          : SelectionKey.OP_READ;
    }

    int outputOps() {
      return descriptor.channel() instanceof SocketChannel c && c.isConnectionPending()
          ? SelectionKey.OP_CONNECT
          : SelectionKey.OP_WRITE;
    }
  }

  @Override
  public String name() {
    return "jdk";
  }

  @Override
  public Set<Operation.Kind> capabilities() {
    return EnumSet.of(Operation.Kind.POLL_INPUT, Operation.Kind.POLL_OUTPUT);
  }

  // ---- notes, taken on a coroutine's stack ----

  @Override
  public void open(Descriptor descriptor) {
    descriptor.register(new Registration(descriptor));
    open.add(descriptor);
  }

  @Override
  public void closed(Descriptor descriptor) {
    open.remove(descriptor);
    // the selector lets go of a closed channel, and so of its descriptor, at the next look
    untidy |= registration(descriptor).key != null;
  }

  @Override
  public void submit(Operation operation) {
    Registration registration = registration(operation.descriptor());
    operation.submitted();
    outstanding++;
    if (operation.kind() == Operation.Kind.POLL_INPUT) {
      registration.input = operation;
    } else {
      registration.output = operation;
    }
    if (!registration.noted) {
      registration.noted = true;
      noted.add(registration);
    }
  }

  @Override
  public void cancel(Operation operation) {
    Registration registration = registration(operation.descriptor());
    operation.cancelled();
    outstanding--;
    if (operation.kind() == Operation.Kind.POLL_INPUT) {
      registration.input = null;
    } else {
      registration.output = null;
    }
  }

  private static Registration registration(Descriptor descriptor) {
    if (descriptor.registration() instanceof Registration registration) {
      return registration;
    }
    throw new IllegalStateException(descriptor + " was not opened on this loop's driver");
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
    for (Registration r = noted.poll(); r != null; r = noted.poll()) {
      r.noted = false;
      apply(r);
    }
    if (answered > 0 || hadNone != (selector == null)) {
      // a wake-up that still found no selector has unparked a carrier that would now select
      look(NO_WAIT);
    } else {
      look(deadlineNanos);
    }
    return answered;
  }

  private void apply(Registration r) {
    int wanted = r.wanted();
    if (wanted == 0) {
      return;
    }
    try {
      SelectionKey key = r.key;
      if (key == null) {
        r.key = r.descriptor.channel().register(selector(), wanted, r);
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
    Registration r = (Registration) key.attachment();
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

  private void answer(Registration r, int ready, @Nullable Throwable error) {
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
    IOException failure = null;
    for (Descriptor d : open) {
      try {
        d.channel().close();
      } catch (IOException e) {
        failure = e;
      }
    }
    open.clear();
    Selector s = selector;
    if (s != null) {
      try {
        s.selectNow(); // lets go of the channels closed above
        s.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      System.getLogger("dev.heddle")
          .log(System.Logger.Level.WARNING, "while closing the driver", failure);
    }
  }
}
