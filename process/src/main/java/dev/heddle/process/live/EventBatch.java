// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.scheduler.EventQueue;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/// The events of one step: a list that nobody changes.
final class EventBatch extends AbstractList<ProcessEvent> implements RandomAccess {
  /// The most that one step is given: what is behind waits for the next, and others have their
  /// turn.
  static final int MOST = 128;

  private static final int FIRST_LENGTH = 8;

  private final @Nullable ProcessEvent[] events;
  private final int size;

  private EventBatch(@Nullable ProcessEvent[] events, int size) {
    this.events = events;
    this.size = size;
  }

  /// Takes what is in the queue, and what its process admits.
  static List<ProcessEvent> from(EventQueue queue, LiveProcess process) {
    ProcessEvent first = next(queue, process);
    if (first == null) {
      return List.of();
    }
    ProcessEvent second = next(queue, process);
    if (second == null) {
      return List.of(first);
    }
    @Nullable ProcessEvent[] events =
        new ProcessEvent[Math.clamp(queue.taken() + 2, FIRST_LENGTH, MOST)];
    events[0] = first;
    events[1] = second;
    int size = 2;
    for (ProcessEvent e; size < events.length && (e = next(queue, process)) != null; size++) {
      events[size] = e;
    }
    return new EventBatch(events, size);
  }

  private static @Nullable ProcessEvent next(EventQueue queue, LiveProcess process) {
    for (EventQueue.Node node; (node = queue.poll()) != null; ) {
      Envelope envelope = (Envelope) node;
      if (process.admit(envelope)) {
        return envelope.event;
      }
    }
    return null;
  }

  @Override
  public ProcessEvent get(int index) {
    return Objects.requireNonNull(events[Objects.checkIndex(index, size)]);
  }

  @Override
  public int size() {
    return size;
  }
}
