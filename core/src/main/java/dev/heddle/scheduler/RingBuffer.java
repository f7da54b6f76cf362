// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import org.jspecify.annotations.Nullable;

/// A circular first-in, first-out buffer; its capacity is a power of two and doubles when full.
final class RingBuffer implements ReadyCandidates {
  private @Nullable Object[] slots;
  private int head; // the next entry out; both indices only grow, and wrap
  private int tail; // the next free slot

  RingBuffer(int capacity) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("capacity must be a power of two: " + capacity);
    }
    slots = new Object[capacity];
  }

  boolean isEmpty() {
    return head == tail;
  }

  @Override
  public int size() {
    return tail - head;
  }

  void add(Object entry) {
    if (tail - head == slots.length) {
      grow();
    }
    slots[tail++ & (slots.length - 1)] = entry;
  }

  @Nullable Object peek() {
    return head == tail ? null : slots[head & (slots.length - 1)];
  }

  /// The entry that is `place` behind the head; it must exist.
  @Override
  public @Nullable Object at(int place) {
    return slots[(head + place) & (slots.length - 1)];
  }

  @Nullable Object poll() {
    if (head == tail) {
      return null;
    }
    int at = head++ & (slots.length - 1);
    Object entry = slots[at];
    slots[at] = null;
    return entry;
  }

  /// Moves the entry that is `place` behind the head to the head; the others keep their order.
  void bringForward(int place) {
    if (place < 0 || place >= size()) {
      throw new IndexOutOfBoundsException(place + " of " + size());
    }
    int mask = slots.length - 1;
    Object entry = slots[(head + place) & mask];
    for (int i = place; i > 0; i--) {
      slots[(head + i) & mask] = slots[(head + i - 1) & mask];
    }
    slots[head & mask] = entry;
  }

  private void grow() {
    Object[] wider = new Object[slots.length * 2];
    int size = size();
    int from = head & (slots.length - 1);
    int untilEnd = slots.length - from;
    System.arraycopy(slots, from, wider, 0, untilEnd);
    System.arraycopy(slots, 0, wider, untilEnd, from);
    slots = wider;
    head = 0;
    tail = size;
  }
}
