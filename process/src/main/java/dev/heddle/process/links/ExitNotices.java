// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import dev.heddle.process.Exit;
import dev.heddle.process.links.ProcessLinks.Link;
import dev.heddle.process.links.ProcessLinks.Monitor;
import dev.heddle.process.links.ProcessLinks.Owner;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The notifications of an exit that are still to be sent. One thread at a time.
record ExitNotices(
    Remaining<String> names,
    Remaining<Map.Entry<Long, @Nullable Owner>> held,
    Remaining<Link> links,
    Remaining<Monitor> watches,
    Remaining<Consumer<Boolean>> starters,
    Remaining<Consumer<Exit>> listeners) {

  /// From what a process has; null stands for nothing.
  ExitNotices(
      @Nullable Collection<String> names,
      @Nullable Map<Long, @Nullable Owner> held,
      @Nullable Map<?, Link> links,
      @Nullable Collection<Monitor> watches,
      @Nullable Collection<Consumer<Boolean>> starters,
      @Nullable Collection<Consumer<Exit>> listeners) {
    this(
        Remaining.of(names),
        Remaining.of(held == null ? null : held.entrySet()),
        Remaining.of(links == null ? null : links.values()),
        Remaining.of(watches),
        Remaining.of(starters),
        Remaining.of(listeners));
  }

  /// The remaining receivers of one kind. If a call of [#notifyEach] throws, the next one continues
  /// with the receiver at which it has stopped.
  static final class Remaining<T> {
    private static final Remaining<?> NONE = new Remaining<>(Collections.emptyIterator());

    private final Iterator<T> left;
    private @Nullable T next;

    private Remaining(Iterator<T> left) {
      this.left = left;
    }

    @SuppressWarnings("unchecked") // safe: it has no element, of whatever type
    static <T> Remaining<T> of(@Nullable Collection<T> all) {
      return all == null ? (Remaining<T>) NONE : new Remaining<>(all.iterator());
    }

    void notifyEach(Consumer<? super T> how) {
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
