// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import org.jspecify.annotations.Nullable;

/// What is ready to run, in order: high priority before normal, each first in, first out, and one
/// normal after 64 high ones in a row, so that nobody starves.
///
/// Holds wakers, execution contexts that the JDK lets go on, and ends of rounds.
class ReadyQueue {
  static final int HIGH_IN_A_ROW = 64; // keeps a normal one's extra wait below 10 us

  private final Ring normal = new Ring(128);
  private final Ring high = new Ring(16);
  private int highInARow;

  /// The queue for a loop whose order `picker` decides.
  static ReadyQueue of(ReadyPicker picker) {
    // one class, as long as nobody asks for another: its calls are direct ones
    return picker == ReadyPicker.FIFO ? new ReadyQueue() : new PickedQueue(picker);
  }

  final void add(Object entry) {
    normal.add(entry);
  }

  final void addHigh(Object entry) {
    high.add(entry);
  }

  final boolean isEmpty() {
    return normal.isEmpty() && high.isEmpty();
  }

  final int size() {
    return normal.size() + high.size();
  }

  /// A guess at what a later [#poll] returns.
  ///
  /// @param place how many come before it
  /// @return null: nothing is that far behind
  final @Nullable Object guess(int place) {
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
    Ring lane = lane();
    highInARow = lane == high ? highInARow + 1 : 0;
    return lane.poll();
  }

  /// The one that the next entry comes from.
  final Ring lane() {
    return high.isEmpty() || (highInARow >= HIGH_IN_A_ROW && !normal.isEmpty()) ? normal : high;
  }
}
