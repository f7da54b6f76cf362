// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.internal.StackGuard;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.fiber.ReceiveQueue;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.Node;
import dev.heddle.process.scheduler.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The mailbox of a process for its body: messages that the body does not want stay in order, and
/// count toward the capacity until they are received.
public final class MailboxReader implements ReceiveQueue {
  /*
   * The space of received messages is released in groups, so that not each message costs a store to
   * the cache line on which senders CAS: at the end of the step, and after an eighth of the
   * capacity or MAX_UNPUBLISHED messages. A mailbox with a capacity below 16 releases each space at
   * once.
   *
   * A step receives at most as many messages as other steps are given (ProcessInstance.takeEvents);
   * then the body yields.
   */
  private static final int MAX_UNPUBLISHED = 64;

  private final Recipient process;
  private final EventQueue queue;
  private final int maxUnpublished;

  // what an upgrade has left, before the mailbox; it no longer counts toward the capacity
  private final List<ProcessEvent> skipped = new ArrayList<>(0);
  private int skippedCount; // how many of the first were read and left

  // the step
  private Task.@Nullable Run observed; // the step's run, while somebody looks
  private int limit;
  private int received;
  private int unpublished;

  public MailboxReader(Recipient process, EventQueue queue, int bound) {
    this.process = process;
    this.queue = queue;
    this.maxUnpublished = Math.clamp(bound / 8, 1, MAX_UNPUBLISHED);
  }

  /// Begins a step of a run, which may receive at most `most` messages.
  public void stepBegins(Task.Run of, int most) {
    observed = of.observed();
    limit = most;
    received = 0;
  }

  /// Ends the step.
  ///
  /// @return how many messages it has received
  public int stepEnded() {
    if (unpublished > 0) {
      publish();
    }
    if (observed != null) {
      observed = null; // the process may wait for hours, and would keep what the observer has left
    }
    return received;
  }

  private void publish() {
    unpublished = 0;
    queue.publish();
    process.spaceFreed();
  }

  @Override
  public void rewind() {
    skippedCount = 0;
    queue.rewind();
  }

  @Override
  public @Nullable Object find(Predicate<? super @Nullable Object> wanted) {
    if (received >= limit) {
      return NOTHING; // other processes get their turn; the next step continues
    }
    if (hasLeft()) {
      Object urgent = findInQueue(wanted, true);
      if (urgent != NOTHING) {
        return urgent;
      }
    }
    for (; hasLeft(); skippedCount++) {
      if (wanted.test(skipped.get(skippedCount).data())) {
        return skipped.remove(skippedCount).data();
      }
    }
    return findInQueue(wanted, false);
  }

  private boolean hasLeft() {
    return skippedCount < skipped.size();
  }

  private @Nullable Object findInQueue(
      Predicate<? super @Nullable Object> wanted, boolean urgentOnly) {
    StackGuard.requireAmpleRoom(); // a stack overflow within the queue would block its senders
    Node node;
    while ((node = queue.peekNext()) != null) {
      Envelope envelope = (Envelope) node;
      if (urgentOnly && !(envelope instanceof Envelope.UrgentEnvelope)) {
        return NOTHING; // urgent ones are first in the queue
      }
      if (!envelope.isMessage()) { // the result of a command of the process before the upgrade
        if (queue.remove(envelope)) {
          var _ = envelope.isDeliverableTo(process);
        }
      } else if (!wanted.test(envelope.content)) {
        queue.skip(envelope);
      } else if (queue.remove(envelope)) {
        received++;
        if (observed != null) {
          observed.received(envelope);
        }
        if (++unpublished >= maxUnpublished) {
          publish();
        }
        if (envelope.isDeliverableTo(process)) {
          return envelope.content;
        }
      }
    }
    return NOTHING;
  }

  @Override
  public boolean hasUnseen() {
    return hasLeft() || queue.hasNews();
  }

  @Override
  public void add(ProcessEvent event) {
    skipped.add(event);
  }

  @Override
  public List<ProcessEvent> unreceived() {
    return skipped;
  }

  /// Makes the body begin with the messages that an upgrade has left. Results belong to commands of
  /// the process before, and are dropped.
  ///
  /// @param first the first of them, or null
  public void beginWith(@Nullable Envelope first) {
    if (first != null) {
      skipped.addAll(EventBatch.of(first).stream().filter(ProcessEvent::isMessage).toList());
    }
  }

  /// Puts the events that a body has not received before those that its process has not read, for
  /// the process that replaces it.
  ///
  /// @param unreceived empty afterwards
  /// @return the first event
  public static @Nullable Envelope transferTo(
      List<ProcessEvent> unreceived, @Nullable Envelope rest) {
    if (unreceived.isEmpty()) {
      return rest;
    }
    Envelope first = rest;
    for (ProcessEvent event : unreceived.reversed()) {
      Envelope again = new Envelope(event.data());
      EventQueue.putBefore(again, first);
      first = again;
    }
    unreceived.clear(); // last: an OutOfMemoryError before it loses none
    return first;
  }

  @Override
  public void close() {
    // the rest is in the mailbox, which the process closes
    skipped.forEach(event -> process.recordUndelivered(event.data(), true));
  }
}
