// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import org.jspecify.annotations.Nullable;

/// The queue of what is ready to run: high priority before normal, each first in, first out. After
/// 64 entries of high priority in a row comes one of normal priority, so that none starves.
///
/// Holds wakers, execution contexts whose foreign wait is over, ends of rounds, and in a simulation
/// turns of threads that are no coroutines.
class ReadyQueue {
  static final int HIGH_IN_A_ROW = 64; // keeps a normal entry's extra wait below 10 us

  private final RingBuffer normal = new RingBuffer(128);
  private final RingBuffer high = new RingBuffer(16);
  private int highInARow;

  /// A queue whose order `picker` decides.
  static ReadyQueue of(ReadyPicker picker) {
    // one class unless a program asks for another: the JIT then compiles direct calls
    return picker == ReadyPicker.FIFO ? new ReadyQueue() : new PickedQueue(picker);
  }

  final void add(Object entry) {
    normal.add(entry);
  }

  final void addHigh(Object entry) {
    high.add(entry);
  }

  final void addTo(boolean highLane, Object entry) {
    (highLane ? high : normal).add(entry);
  }

  final boolean isEmpty() {
    return normal.isEmpty() && high.isEmpty();
  }

  final int size() {
    return normal.size() + high.size();
  }

  /// A guess at what a later [#poll] returns.
  ///
  /// @param place the number of entries before it
  /// @return null when there are no more entries than that
  final @Nullable Object peekAhead(int place) {
    return place < normal.size() ? normal.at(place) : null;
  }

  /// What [#poll] would return.
  @Nullable Object peek() {
    return (high.isEmpty() ? normal : lane()).peek();
  }

  @Nullable Object poll() {
    if (high.isEmpty()) {
      if (highInARow != 0) {
        highInARow = 0;
      }
      return normal.poll();
    }
    RingBuffer lane = lane();
    highInARow = lane == high ? highInARow + 1 : 0;
    return lane.poll();
  }

  /// The lane that the next entry comes from.
  final RingBuffer lane() {
    return high.isEmpty() || (highInARow >= HIGH_IN_A_ROW && !normal.isEmpty()) ? normal : high;
  }
}
