// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.ChannelClosedException;
import dev.heddle.event.EventStream;
import dev.heddle.event.source.EventSource;
import dev.heddle.internal.Rethrow;
import dev.heddle.sync.Channel;
import java.util.Iterator;

/// Where the items of a publisher come from.
@FunctionalInterface
interface Emission<T> {
  /// Emits the items to one subscriber, in the coroutine of its subscription.
  void emitTo(LoopSubscription<T> out) throws Exception;

  /// Receives the items of a channel, each when it was requested.
  static <T> Emission<T> of(Channel<T> channel) {
    EventSource end = EventSource.of(channel.drained());
    return out -> {
      try {
        emitAll(channel.iterator(), end, out);
      } catch (ChannelClosedException e) {
        Throwable cause = e.getCause();
        throw Rethrow.unchecked(cause == null ? e : cause);
      }
    };
  }

  /// Reads the items of a stream, each when it was requested.
  static <T> Emission<T> of(EventStream<T> stream) {
    EventSource end = EventSource.of(stream.drained());
    return out -> emitAll(stream.iterator(), end, out);
  }

  private static <T> void emitAll(Iterator<T> items, EventSource end, LoopSubscription<T> out) {
    // an item is taken only for a request: what a subscriber does not want stays where it is
    while (out.awaitDemand(end) && items.hasNext()) {
      out.emit(items.next());
    }
  }
}
