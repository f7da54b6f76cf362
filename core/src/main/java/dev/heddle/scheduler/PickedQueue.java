// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import org.jspecify.annotations.Nullable;

/// A ready queue in which a picker decides which entry of a priority is next.
///
/// The picked entry moves to the head of its lane and stays there until it is polled, so that
/// [#peek()] and [#poll()] return the same entry.
final class PickedQueue extends ReadyQueue {
  private final ReadyPicker picker;
  private @Nullable Object picked;

  PickedQueue(ReadyPicker picker) {
    this.picker = picker;
  }

  @Override
  @Nullable Object peek() {
    arrange();
    return super.peek();
  }

  @Override
  @Nullable Object poll() {
    arrange();
    picked = null;
    return super.poll();
  }

  private void arrange() {
    RingBuffer lane = lane();
    Object head = lane.peek();
    if (head != null && head != picked) {
      lane.bringForward(picker.pick(lane));
      picked = lane.peek();
    }
  }
}
