// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A selector of the channels of one run.
final class SimulatedSelector extends AbstractSelector {
  /*
   * A selection follows the specification of java.nio.channels.Selector to the letter, since a
   * program may rely on no more:
   *
   *   - What is registered, or changes its interest, while a selection waits counts for the next
   *     one. The JDK's selector on Linux mostly takes it into account at once.
   *   - Keys that were cancelled leave at the beginning and at the end of a selection.
   *   - wakeup() ends the selection that waits, or else the next one.
   *
   * One thing differs from Linux: a stream channel that was never connected is not ready. Linux
   * reports it as hung up.
   *
   * Monitors. As the specification has them: a selection holds that of the selector, and then that
   * of its selected keys.
   *
   * Threads. Those of one run, one at a time. `woken` may also be set by wakeup() of a thread
   * outside.
   */
  private final HostNetwork network;
  private final Set<SimulatedKey> keys = new LinkedHashSet<>();
  private final Set<SelectionKey> selected = new LinkedHashSet<>();
  private final Set<SelectionKey> shownKeys = Collections.unmodifiableSet(keys);
  private final Set<SelectionKey> shownSelected = new Removable(selected);

  private @Nullable Thread waiter; // in a selection
  private volatile boolean woken;
  private boolean mayBeReady; // a watcher was run

  SimulatedSelector(SelectorProvider provider, HostNetwork network) {
    super(provider);
    this.network = network;
  }

  /// The set of selected keys: the program removes keys, and cannot add any.
  private static final class Removable extends AbstractSet<SelectionKey> {
    private final Set<SelectionKey> of;

    Removable(Set<SelectionKey> of) {
      this.of = of;
    }

    @Override
    public Iterator<SelectionKey> iterator() {
      return of.iterator();
    }

    @Override
    public int size() {
      return of.size();
    }

    @Override
    public boolean contains(Object key) {
      return of.contains(key);
    }

    @Override
    public boolean remove(Object key) {
      return of.remove(key);
    }

    @Override
    public void clear() {
      of.clear();
    }
  }

  // ---- keys ----

  @Override
  protected SelectionKey register(
      AbstractSelectableChannel channel, int ops, @Nullable Object attachment) {
    if (!(channel instanceof Selectable)) {
      throw new IllegalSelectorException();
    }
    requireOpen();
    SimulatedKey key = new SimulatedKey(this, channel);
    key.attach(attachment);
    key.interestOps(ops);
    keys.add(key);
    return key;
  }

  @Override
  public Set<SelectionKey> keys() {
    requireOpen();
    return shownKeys;
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    requireOpen();
    return shownSelected;
  }

  private void requireOpen() {
    if (!isOpen()) {
      throw new ClosedSelectorException();
    }
  }

  // ---- selections ----

  @Override
  public int selectNow() throws IOException {
    int found = select(network.clock().nanoTime(), null);
    if (found == 0) {
      network.threads().onFruitless();
    }
    return found;
  }

  @Override
  public int select() throws IOException {
    return select(0);
  }

  @Override
  public int select(long millis) throws IOException {
    if (millis < 0) {
      throw new IllegalArgumentException("Negative timeout");
    }
    return select(network.deadline(millis), Thread.currentThread());
  }

  /// Selects.
  ///
  /// @param waits the current thread; null: it does not wait
  private int select(long deadlineNanos, @Nullable Thread waits) throws IOException {
    synchronized (this) {
      requireOpen();
      synchronized (shownSelected) {
        dropCancelled();
        List<SimulatedKey> watched = List.copyOf(keys);
        watched.forEach(SimulatedKey::beginSelection);
        int found = update(watched);
        if (found == 0 && waits != null) {
          await(watched, deadlineNanos, waits);
          found = isOpen() ? update(watched) : 0;
        }
        woken = false;
        dropCancelled();
        return found;
      }
    }
  }

  private void await(List<SimulatedKey> watched, long deadlineNanos, Thread self) {
    Runnable wake =
        () -> {
          mayBeReady = true;
          LockSupport.unpark(self);
        };
    waiter = self;
    begin(); // an interrupt calls wakeup()
    try {
      boolean over = woken || anyReady(watched);
      while (!over && isOpen()) {
        long left = deadlineNanos - network.clock().nanoTime();
        if (left > 0) {
          park(watched, wake, deadlineNanos == HostNetwork.FOREVER ? 0 : left);
        }
        over = left <= 0 || woken || self.isInterrupted() || anyReady(watched);
      }
    } finally {
      end();
      waiter = null;
    }
  }

  /// @param nanos 0: without a limit
  private void park(List<SimulatedKey> watched, Runnable wake, long nanos) {
    mayBeReady = false;
    watched.forEach(key -> key.watch(wake));
    while (!mayBeReady && !woken && isOpen() && !Thread.currentThread().isInterrupted()) {
      if (nanos == 0) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, nanos);
        mayBeReady = true; // or late: the caller looks
      }
    }
    watched.forEach(key -> key.unwatch(wake));
  }

  private static boolean anyReady(List<SimulatedKey> watched) {
    for (SimulatedKey key : watched) {
      if (key.now() != 0) {
        return true;
      }
    }
    return false;
  }

  private int update(List<SimulatedKey> watched) {
    int updated = 0;
    for (SimulatedKey key : watched) {
      int ready = key.now();
      if (ready == 0) {
        continue;
      }
      if (selected.add(key)) {
        key.setReady(ready);
        updated++;
      } else if (key.addReady(ready)) {
        updated++;
      }
    }
    return updated;
  }

  private void dropCancelled() {
    Set<SelectionKey> cancelled = cancelledKeys();
    synchronized (cancelled) {
      for (SelectionKey key : cancelled) {
        keys.remove(key);
        selected.remove(key);
        deregister((AbstractSelectionKey) key);
      }
      cancelled.clear();
    }
  }

  // ---- ends ----

  @Override
  public Selector wakeup() {
    woken = true;
    LockSupport.unpark(waiter);
    return this;
  }

  @Override
  protected void implCloseSelector() {
    wakeup();
    synchronized (this) {
      synchronized (shownSelected) {
        for (SimulatedKey key : List.copyOf(keys)) {
          key.cancel();
        }
        dropCancelled();
      }
    }
  }
}
