// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.ChannelClosedException;
import dev.heddle.event.EventStream;
import dev.heddle.event.source.EventSource;
import dev.heddle.internal.Rethrow;
import dev.heddle.sync.Channel;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// Where the items of a publisher come from.
@FunctionalInterface
interface Emission<T> {
  /// Emits the items to one subscriber, in the coroutine of its subscription.
  void emitTo(LoopSubscription<T> out) throws Exception;

  /// When items end; so that a subscriber learns of it without a request.
  interface End {
    /// Never, while the subscriber has requested nothing.
    End UNKNOWN = new End() {};

    /// Whether no item will come.
    default boolean isReached() {
      return false;
    }

    /// Fires when that may have changed; null: only a request can change it.
    default @Nullable EventSource event() {
      return null;
    }
  }

  /// Receives the items of a channel, each when it was requested.
  static <T> Emission<T> of(Channel<T> channel) {
    End end =
        new End() {
          @Override
          public boolean isReached() {
            return channel.isClosed() && channel.isEmpty();
          }

          @Override
          public @Nullable EventSource event() {
            return channel.isClosed() ? null : EventSource.of(channel.closed());
          }
        };
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
    EventSource ready = EventSource.of(stream.ready());
    return out -> {
      Iterator<T> items = stream.iterator();
      End end =
          new End() {
            @Override
            public boolean isReached() {
              return ready.isClosed() && stream.size() == 0; // its end, or a failure
            }

            @Override
            public @Nullable EventSource event() {
              return ready.isClosed() ? null : ready;
            }
          };
      emitAll(items, end, out);
    };
  }

  private static <T> void emitAll(Iterator<T> items, End end, LoopSubscription<T> out) {
    // an item is taken only for a request: what a subscriber does not want stays where it is
    while (out.awaitDemand(end) && items.hasNext()) {
      out.emit(items.next());
    }
  }
}
