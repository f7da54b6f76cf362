// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.mailbox.Envelope.MessageSlice;
import dev.heddle.process.scheduler.Burst;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.Node;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerThread;
import org.jspecify.annotations.Nullable;

/// Messages that a step sends to one process in a row, as one node of its queue.
public final class MessageBurst extends Burst {
  private final Recipient to;
  private final Pid address;

  private <R extends Task & Recipient> MessageBurst(
      R to, EventQueue queue, int places, @Nullable Object first) {
    super(to, queue, places, first);
    this.to = to;
    this.address = to.self();
  }

  /// Adds a message to the open burst of the calling step, if that is for the same address and has
  /// space.
  public static boolean takes(Pid address, @Nullable Object message) {
    Worker sender = WorkerThread.currentWorker();
    return sender != null
        && sender.ownBurst() instanceof MessageBurst burst
        && burst.address == address
        && burst.take(message, sender);
  }

  /// Adds a message to the open burst of the calling step, or begins another one.
  public static <R extends Task & Recipient> SendResult send(
      R to, EventQueue queue, @Nullable Object message, Worker sender) {
    if (sender.ownBurst() instanceof MessageBurst open
        && open.to == to
        && open.take(message, sender)) {
      return SendResult.ACCEPTED;
    }
    MessageBurst burst = new MessageBurst(to, queue, sender.burstPlaces(), message);
    sender.beginWakeUp(to, Task.BY_MESSAGE); // ends the burst before
    sender.beginBurst(burst);
    if (queue.push(burst) != EventQueue.Push.ACCEPTED) {
      sender.forgetBurst();
      sender.endWakeUp();
      return to.sendToEnded();
    }
    sender.sent(to, null); // of several in one node
    sender.scheduler().wake(to, Task.BY_MESSAGE, sender);
    sender.endWakeUp();
    burst.pushed();
    return SendResult.ACCEPTED;
  }

  private boolean take(@Nullable Object message, Worker sender) {
    return !to.isAbandoned() && sender.add(this, message);
  }

  @Override
  protected Node node(@Nullable Object[] items, int from, int until) {
    return until - from == 1 ? new Envelope(items[from]) : new MessageSlice(items, from, until);
  }

  @Override
  protected void unseen(@Nullable Object item) {
    to.recordUndelivered(item, true);
  }
}
