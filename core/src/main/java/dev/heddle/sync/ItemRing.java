// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The items that a [Channel] has taken and that no receiver has: a queue in an array that grows.
///
/// **Thread** the loop's.
final class ItemRing {
  private static final int FIRST = 8; // slots
  private static final int KEPT = 1_024; // slots, 4 KiB: more is freed when it is empty

  private final int capacity;
  private @Nullable Object[] slots; // grows up to the capacity
  private int head;
  private int size;

  /// @param capacity the most items that it will hold
  ItemRing(int capacity) {
    this.capacity = capacity;
    this.slots = new Object[Math.min(capacity, FIRST)];
  }

  int size() {
    return size;
  }

  /// The number of items for which it has memory now.
  int slots() {
    return slots.length;
  }

  /// Adds an item behind all others.
  void add(Object item) {
    if (size == slots.length) {
      grow();
    }
    int at = head + size;
    slots[at < slots.length ? at : at - slots.length] = item;
    size++;
  }

  /// Removes the oldest item; null: there is none.
  @Nullable Object poll() {
    if (size == 0) {
      return null;
    }
    if (size == 1 && slots.length > KEPT) {
      shrink(); // first: it may throw
    }
    Object item = Objects.requireNonNull(slots[head]);
    slots[head] = null;
    head = head + 1 == slots.length ? 0 : head + 1;
    size--;
    return item;
  }

  /// Drops all items.
  void clear() {
    while (size > 0) {
      var _ = poll();
    }
  }

  // before the last item leaves; more than half of the slots were used since it grew, which pays
  private void shrink() {
    @Nullable Object[] smaller = new Object[KEPT];
    smaller[0] = slots[head];
    slots = smaller;
    head = 0;
  }

  private void grow() {
    Object[] larger = new Object[(int) Math.min(capacity, 2L * slots.length)];
    int first = Math.min(size, slots.length - head);
    System.arraycopy(slots, head, larger, 0, first);
    System.arraycopy(slots, 0, larger, first, size - first);
    slots = larger;
    head = 0;
  }
}
