// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Support;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Readiness through a [Selector]. It opens the selector with the first channel and only parks the
/// carrier until then, so a loop without I/O uses no file descriptors.
public final class JdkDriver extends ChannelDriver {
  // wakeup() finds the carrier parked or selecting; it is sticky in both cases
  static final String NAME = "jdk";
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final Map<Capability, Support> CAPABILITIES =
      serving(Support.natively("a Selector, JDK channels"));

  private final Thread carrier;
  private final Consumer<SelectionKey> onReady = this::ready;

  // written by the carrier, read by any thread
  private volatile @Nullable Selector selector;

  /// A driver for the loop whose carrier is the current thread.
  public JdkDriver() {
    this(Thread.currentThread());
  }

  JdkDriver(Thread carrier) {
    this.carrier = carrier;
    // else the carrier loads the class when a coroutine waits, perhaps for the jar's monitor
    Class<?> _ = Key.class;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return CAPABILITIES;
  }

  // ---- channels ----

  /// The registration of a channel with the selector.
  private record Key(SelectionKey key) implements Interest {
    @Override
    public int ops() {
      return key.interestOps();
    }

    @Override
    public void ops(int ops) {
      key.interestOps(ops);
    }

    @Override
    public void cancel() {
      key.cancel();
    }
  }

  @Override
  protected Interest register(JdkDescriptor r, int ops) throws IOException {
    try {
      return new Key(r.channel().register(selector(), ops, r));
    } catch (CancelledKeyException e) {
      if (!r.channel().isOpen()) {
        throw e;
      }
      // deregistered a moment ago and registered again: the selector has yet to remove the old key
      selector().selectNow(onReady);
      return new Key(r.channel().register(selector(), ops, r));
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

  @Override
  protected boolean isOpen() {
    return selector != null;
  }

  // ---- the carrier ----

  @Override
  protected void select(long deadlineNanos) {
    Selector s = selector;
    if (s == null) {
      park(deadlineNanos);
      return;
    }
    try {
      if (deadlineNanos == NO_WAIT) {
        s.selectNow(onReady);
      } else if (deadlineNanos == NO_DEADLINE) {
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
          "the selector failed; the loop can no longer poll its sockets", e);
    }
  }

  private void park(long deadlineNanos) {
    if (deadlineNanos == NO_DEADLINE) {
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
    } catch (CancelledKeyException _) {
      ready = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    }
    ready(r, ready);
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
  protected void release() {
    Selector s = selector;
    if (s != null) {
      try {
        s.selectNow(); // frees the descriptors of closed channels
        s.close();
      } catch (IOException e) {
        AsyncLog.shared().warning("while closing the driver", e);
      }
    }
  }
}
