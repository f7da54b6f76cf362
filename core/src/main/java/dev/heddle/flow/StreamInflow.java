// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.EventsLostException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.EventStream;
import dev.heddle.event.source.EndOfEvents;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import org.jspecify.annotations.Nullable;

/// Fires an event for each item that a publisher emits.
final class StreamInflow<T> extends Inflow<T> {
  private final Items items = new Items(CoroutineNode.current().scheduler());
  private final EventStream<T> stream;

  // loop only
  private boolean closed;

  StreamInflow(int capacity) {
    super("a stream of a publisher", capacity);
    this.stream = EventStream.of(() -> items, capacity);
  }

  EventStream<T> stream() {
    return stream;
  }

  @Override
  void deliver(T item) {
    CoroutineNode<?> self = CoroutineNode.current();
    self.scheduler().consumeBudget(self);
    items.publish(item, null);
  }

  @Override
  void finish(@Nullable Throwable why) {
    if (why != null) {
      items.publish(null, why);
    }
    if (why == null || why instanceof EventsLostException) { // to a stream, that is a gap
      items.publish(null, EndOfEvents.INSTANCE);
    }
  }

  @Override
  boolean isUnwanted() {
    return closed;
  }

  @Override
  @Nullable EventSource closed() {
    return null;
  }

  private final class Items extends EventSource {
    Items(HomeLoop home) {
      super(home);
    }

    void publish(@Nullable Object item, @Nullable Throwable failure) {
      fire(item, failure);
    }

    @Override
    public boolean isDaemon() {
      return false;
    }

    @Override
    protected void disarm() {
      closed = true;
      unwanted();
    }

    @Override
    public String info() {
      return "items of a publisher";
    }
  }
}
