// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The items of a [Channel], received one by one.
final class ChannelItems<T> implements Iterator<T> {
  private final Supplier<@Nullable T> receiver;
  private final Object channel; // for the message
  private @Nullable T next;

  /// @param receiver receives the next item; null: nothing is left, and nothing more comes
  /// @param channel what is named where there is no item
  ChannelItems(Supplier<@Nullable T> receiver, Object channel) {
    this.receiver = receiver;
    this.channel = channel;
  }

  @Override
  public boolean hasNext() {
    if (next == null) {
      next = receiver.get();
    }
    return next != null;
  }

  @Override
  public T next() {
    T item = hasNext() ? next : null;
    if (item == null) {
      throw new NoSuchElementException(
          "nothing is left in it, and it takes no more items: " + channel);
    }
    next = null;
    return item;
  }
}
