// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;

/// A channel that is registered with a selector.
final class SimulatedKey extends AbstractSelectionKey {
  private final SimulatedSelector selector;
  private final AbstractSelectableChannel channel;
  private int interest;
  private int ready;
  private int selected; // the interest, when the current selection began

  SimulatedKey(SimulatedSelector selector, AbstractSelectableChannel channel) {
    this.selector = selector;
    this.channel = channel;
  }

  private Selectable selectable() {
    return (Selectable) channel;
  }

  @Override
  public SelectableChannel channel() {
    return channel;
  }

  @Override
  public Selector selector() {
    return selector;
  }

  private void requireValid() {
    if (!isValid()) {
      throw new CancelledKeyException();
    }
  }

  @Override
  public int interestOps() {
    requireValid();
    return interest;
  }

  @Override
  public SelectionKey interestOps(int ops) {
    requireValid();
    if ((ops & ~channel.validOps()) != 0) {
      throw new IllegalArgumentException();
    }
    interest = ops;
    return this;
  }

  @Override
  public int readyOps() {
    requireValid();
    return ready;
  }

  // ---- a selection ----

  void beginSelection() {
    selected = isValid() ? interest : 0;
  }

  /// The operations that this selection wants and that can go on.
  int now() {
    return selected == 0 || !isValid() ? 0 : selectable().readyOps(selected);
  }

  /// Sets what can go on, for a key that was not selected.
  void setReady(int ops) {
    ready = ops;
  }

  /// Adds to what can go on.
  ///
  /// @return whether that changes anything
  boolean addReady(int ops) {
    int before = ready;
    ready |= ops;
    return ready != before;
  }

  void watch(Runnable watcher) {
    Waits waits = selectable().waits();
    int wanted = selected & selectable().possibleOps();
    for (Direction direction : Direction.values()) {
      if ((wanted & Selectable.ops(direction)) != 0) {
        waits.watch(direction, watcher);
      }
    }
    waits.watchState(watcher);
  }

  void unwatch(Runnable watcher) {
    Waits waits = selectable().waits();
    for (Direction direction : Direction.values()) {
      waits.unwatch(direction, watcher);
    }
    waits.unwatchState(watcher);
  }
}
