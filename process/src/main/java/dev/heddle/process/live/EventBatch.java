// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.scheduler.EventQueue;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/// The events of one step: a list that nobody changes. One class for none, one and many, so that
/// the loops of steps see one class of list and one of iterator.
final class EventBatch extends AbstractList<ProcessEvent> implements RandomAccess {
  /// No events.
  static final EventBatch NONE = new EventBatch(null, 0);

  private final @Nullable Envelope first;
  private final int size;

  // written by whoever asks for one by its index, but the first
  private volatile ProcessEvent @Nullable [] indexed;

  // the step
  private int handedOut; // the first so many, by iterators or by index

  private EventBatch(@Nullable Envelope first, int size) {
    this.first = first;
    this.size = size;
  }

  /// What was taken from a queue, as far as its process admits it.
  ///
  /// @param taken the first, or null
  static EventBatch of(EventQueue.@Nullable Node taken, LiveProcess process) {
    Envelope first = (Envelope) taken;
    while (first != null && !first.admittedTo(process)) {
      first = after(first);
    }
    if (first == null) {
      return NONE;
    }
    int size = 1;
    for (Envelope last = first, next; (next = after(last)) != null; ) {
      if (next.admittedTo(process)) {
        last = next;
        size++;
      } else {
        EventQueue.skipAfter(last);
      }
    }
    return new EventBatch(first, size);
  }

  /// What is left of another batch, admitted before.
  static EventBatch of(Envelope first) {
    int size = 0;
    for (Envelope at = first; at != null; at = after(at)) {
      size++;
    }
    return new EventBatch(first, size);
  }

  /// Those behind the last one that the step has been given, by an iterator or by its index; or
  /// null.
  @Nullable Envelope notHandedOut() {
    Envelope at = first;
    for (int i = 0; at != null && i < handedOut; i++) {
      at = after(at);
    }
    return at;
  }

  private void handOut(int count) {
    if (count > handedOut) {
      handedOut = count;
    }
  }

  private static @Nullable Envelope after(Envelope envelope) {
    return (Envelope) EventQueue.after(envelope);
  }

  @Override
  public ProcessEvent get(int index) {
    Objects.checkIndex(index, size);
    handOut(index + 1);
    return index == 0 ? Objects.requireNonNull(first).event() : indexed()[index];
  }

  private ProcessEvent[] indexed() {
    ProcessEvent[] all = indexed;
    if (all == null) {
      all = new ProcessEvent[size];
      int i = 0;
      for (Envelope at = first; at != null; at = after(at)) {
        all[i++] = at.event();
      }
      indexed = all; // safe: whoever else does so writes the same
    }
    return all;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Iterator<ProcessEvent> iterator() {
    return new Walk(this);
  }

  private static final class Walk implements Iterator<ProcessEvent> {
    private final EventBatch batch;
    private @Nullable Envelope next;
    private int given;

    Walk(EventBatch batch) {
      this.batch = batch;
      this.next = batch.first;
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public ProcessEvent next() {
      Envelope at = next;
      if (at == null) {
        throw new NoSuchElementException("no more events in this step");
      }
      next = after(at);
      batch.handOut(++given);
      return at.event();
    }
  }
}
