// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.internal.StackGuard;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.fiber.ReceiveQueue;
import dev.heddle.process.scheduler.EventQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The mailbox of a process, as its body reads it: what the body does not want stays where it is,
/// and counts to the bound until it is received.
public final class MailboxReader implements ReceiveQueue {
  /*
   * What was received gives its room back some messages later, so that not each of them is a store
   * to the cache line on which senders CAS: at the end of the step, and when it is an eighth of
   * the bound, or MOST_KEPT. A mailbox below 16 gives each room back at once.
   *
   * A step receives as many messages as other steps are given (ProcessInstance.takeEvents): then
   * the body gives way, whatever there is.
   */
  private static final int MOST_KEPT = 64;

  private final Recipient process;
  private final EventQueue queue;
  private final int kept; // rooms at the most, of messages that were received

  // what an upgrade has left, in front of the mailbox; it was taken out, and counts no more
  private final List<ProcessEvent> skipped = new ArrayList<>(0);
  private int skippedCount; // so many of these were looked at and left

  // the step
  private int limit;
  private int received;
  private int unpublished;

  public MailboxReader(Recipient process, EventQueue queue, int bound) {
    this.process = process;
    this.queue = queue;
    this.kept = Math.clamp(bound / 8, 1, MOST_KEPT);
  }

  /// A step begins, and may receive so many.
  public void stepBegins(int most) {
    limit = most;
    received = 0;
  }

  /// The step has ended.
  ///
  /// @return how many it has received
  public int stepEnded() {
    if (unpublished > 0) {
      publish();
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
      return NOTHING; // others have their turn; the next step goes on
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
    StackGuard.requireAmpleRoom(); // a queue that is left half-way keeps its senders waiting
    EventQueue.Node node;
    while ((node = queue.peekNext()) != null) {
      Envelope envelope = (Envelope) node;
      if (urgentOnly && !(envelope instanceof Envelope.UrgentEnvelope)) {
        return NOTHING; // which are the first in the queue
      }
      if (!envelope.isMessage()) { // the result of a command of the process that was here before
        if (queue.remove(envelope)) {
          var _ = envelope.isDeliverableTo(process);
        }
      } else if (!wanted.test(envelope.content)) {
        queue.skip(envelope);
      } else if (queue.remove(envelope)) {
        received++;
        if (++unpublished >= kept) {
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

  /// The body begins with what an upgrade has left to its process: the messages. Results are of
  /// commands of the process before, and of no interest to a body.
  ///
  /// @param first of them, or null
  public void beginWith(@Nullable Envelope first) {
    if (first != null) {
      skipped.addAll(EventBatch.of(first).stream().filter(ProcessEvent::isMessage).toList());
    }
  }

  /// What a body has not received, before what its process has not looked at: for whoever takes
  /// their place.
  ///
  /// @param unreceived is empty afterwards
  /// @return the first of all
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
    unreceived.clear(); // not before: else they would be nobody's where there is no memory
    return first;
  }

  @Override
  public void close() {
    // all else that was not received lies in the mailbox, which the process closes
    skipped.forEach(event -> process.recordUndelivered(event.data(), true));
  }
}
