// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.mailbox.Envelope.MessageSlice;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.Node;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/// The events of one step: an immutable list. One class for none, one and many, so that the loops
/// of steps see one class of list and one of iterator.
public final class EventBatch extends AbstractList<ProcessEvent> implements RandomAccess {
  public static final EventBatch NONE = new EventBatch(null, 0);

  private final @Nullable Envelope first;
  private final int size;

  // written by a read of any index but 0
  private volatile ProcessEvent @Nullable [] indexed;

  // the step
  private int delivered; // how many of the first were read, by iterators or by index

  private EventBatch(@Nullable Envelope first, int size) {
    this.first = first;
    this.size = size;
  }

  /// The events taken from a queue, without those that must not be delivered.
  ///
  /// @param taken the first node, or null
  public static EventBatch of(@Nullable Node taken, Recipient process) {
    Envelope first = (Envelope) taken;
    while (first != null && !first.isDeliverableTo(process)) {
      first = after(first);
    }
    if (first == null) {
      return NONE;
    }
    int size = first.size();
    for (Envelope last = first, next; (next = after(last)) != null; ) {
      if (next.isDeliverableTo(process)) {
        last = next;
        size += next.size();
      } else {
        EventQueue.skipAfter(last);
      }
    }
    return new EventBatch(first, size);
  }

  /// The events that another batch has left, which were checked before.
  public static EventBatch of(Envelope first) {
    int size = 0;
    for (Envelope at = first; at != null; at = after(at)) {
      size += at.size();
    }
    return new EventBatch(first, size);
  }

  /// The events after the last one that the step has read, by an iterator or by index; or null.
  public @Nullable Envelope notHandedOut() {
    Envelope at = first;
    int given = delivered;
    for (; at != null && given >= at.size(); at = after(at)) {
      given -= at.size();
    }
    if (given == 0 || !(at instanceof MessageSlice several)) {
      return at;
    }
    Envelope rest = several.without(given);
    EventQueue.putBefore(rest, after(several));
    return rest;
  }

  private void countDelivered(int count) {
    if (count > delivered) {
      delivered = count;
    }
  }

  private static @Nullable Envelope after(Envelope envelope) {
    return (Envelope) EventQueue.after(envelope);
  }

  @Override
  public ProcessEvent get(int index) {
    Objects.checkIndex(index, size);
    countDelivered(index + 1);
    return index == 0 ? Objects.requireNonNull(first).event() : indexed()[index];
  }

  private ProcessEvent[] indexed() {
    ProcessEvent[] known = indexed;
    if (known != null) {
      return known;
    }
    ProcessEvent[] all = new ProcessEvent[size];
    int i = 0;
    for (Envelope at = first; at != null; at = after(at)) {
      if (at instanceof MessageSlice several) {
        for (int j = 0; j < several.size(); j++) {
          all[i++] = several.event(j);
        }
      } else {
        all[i++] = at.event();
      }
    }
    indexed = all; // safe: another thread writes the same
    return all;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Iterator<ProcessEvent> iterator() {
    return new BatchIterator(this);
  }

  private static final class BatchIterator implements Iterator<ProcessEvent> {
    private final EventBatch batch;
    private @Nullable Envelope next;
    private int given;
    private int passed; // of several in one envelope

    BatchIterator(EventBatch batch) {
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
      if (at instanceof MessageSlice several) {
        return next(several);
      }
      next = after(at);
      batch.countDelivered(++given);
      return at.event();
    }

    private ProcessEvent next(MessageSlice several) {
      int index = passed++;
      if (passed == several.size()) {
        next = after(several);
        passed = 0;
      }
      batch.countDelivered(++given);
      return several.event(index);
    }
  }
}
