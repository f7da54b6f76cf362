// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import dev.heddle.process.Exit;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What is left to be told of an exit. One thread at a time.
record Farewell(
    Rest<String> names,
    Rest<Map.Entry<Long, Ties.@Nullable Owner>> held,
    Rest<Ties.Link> links,
    Rest<Ties.Watch> watches,
    Rest<Consumer<Boolean>> starters,
    Rest<Consumer<Exit>> listeners) {

  /// Of what a process has; null stands for nothing.
  Farewell(
      @Nullable Collection<String> names,
      @Nullable Map<Long, Ties.@Nullable Owner> held,
      @Nullable Map<?, Ties.Link> links,
      @Nullable Collection<Ties.Watch> watches,
      @Nullable Collection<Consumer<Boolean>> starters,
      @Nullable Collection<Consumer<Exit>> listeners) {
    this(
        Rest.of(names),
        Rest.of(held == null ? null : held.entrySet()),
        Rest.of(links == null ? null : links.values()),
        Rest.of(watches),
        Rest.of(starters),
        Rest.of(listeners));
  }

  /// Some that are to be told. Begun again it goes on with the one at which it has stopped.
  static final class Rest<T> {
    private static final Rest<?> NONE = new Rest<>(Collections.emptyIterator());

    private final Iterator<T> left;
    private @Nullable T next;

    private Rest(Iterator<T> left) {
      this.left = left;
    }

    @SuppressWarnings("unchecked") // safe: it has no element, of whatever type
    static <T> Rest<T> of(@Nullable Collection<T> all) {
      return all == null ? (Rest<T>) NONE : new Rest<>(all.iterator());
    }

    void tell(Consumer<? super T> how) {
      while (next != null || left.hasNext()) {
        if (next == null) {
          next = left.next();
        }
        how.accept(next);
        next = null;
      }
    }
  }
}
