// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// The items of a [Channel], received one by one.
final class ChannelItems<T> implements Iterator<T> {
  private final Channel<T> channel;
  private @Nullable T next;

  ChannelItems(Channel<T> channel) {
    this.channel = channel;
  }

  @Override
  public boolean hasNext() {
    if (next == null) {
      next = channel.receiveOrNull();
      if (next == null && channel.isFailure()) {
        throw channel.nothingLeft();
      }
    }
    return next != null;
  }

  @Override
  public T next() {
    T item = hasNext() ? next : null;
    if (item == null) {
      throw new NoSuchElementException(
          "nothing is left in it, and it takes no more items: " + channel.info());
    }
    next = null;
    return item;
  }
}
