// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.EventQueue.Push;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// Senders who wait for room in a mailbox, in line.
public final class SenderQueue {
  /*
   * States of a place.
   *   from     event       to       actor, order
   *   OUTSIDE  join()      IN_LINE  the sender, after it found the mailbox full: under the lock, at
   *                                 the end of the line
   *   IN_LINE  fill()      OUTSIDE  the thread that makes or finds room, under the lock: it pushes
   *                                 the message of the first place; then, without the lock, it
   *                                 completes the outcome
   *   IN_LINE  withdraw()  OUTSIDE  the sender, whose wait was cut: under the lock; its message was
   *                                 not sent
   *   IN_LINE  over()      OUTSIDE  the thread that tells of the end, once: under the lock; then it
   *                                 completes the outcomes
   *
   * A message enters the mailbox when its sender is first in line and there is room, not when the
   * sender runs. So the mailbox is never empty while senders wait for a worker, as many senders
   * are woken as were served, and a sender that leaves the line holds nothing that others wait
   * for. While a sender stands in line, offer() refuses all others.
   *
   * I1. Senders are served in the order in which they joined. [SenderQueueTest]
   * I2. No sender stands in line while there is room, except while a thread is in fill().
   *     [SenderQueueStress; mutant: SenderQueueStress.NoLook]
   * I3. A place leaves the line once: its message was pushed, or its sender is told that it was
   *     not. [SenderQueueTest, MailboxTest]
   *
   * Memory order. Sender: writes `wanted`, full fence, then looks for room. Receiver: makes room,
   * full fence, then reads `wanted`. One of the two reads sees the other's write: the sender finds
   * room, or the receiver finds the sender. The mailbox's own last write is only a release, and a
   * look at what it holds only an acquire: hence both fences.
   *
   * Cost. Without senders in line: a fence and a read for each take, of mailboxes that suspend.
   * Else a lock for each message.
   *
   * Rejected. To wake all senders when there is room: of 5,000 on two workers some waited for
   * seconds. To wake as many as there is room, which push themselves: their places would have to
   * be kept, also for one that is cancelled meanwhile, and the receiver would wait until they run.
   *
   * trap-1, trap-2, trap-3, trap-26.
   */

  /// For mailboxes for whose room nobody waits.
  public static final SenderQueue UNUSED = new SenderQueue(new EventQueue(1));

  private final EventQueue queue;
  private final SpinLock lock = new SpinLock();

  // under the lock
  private @Nullable WaitingSender first;
  private @Nullable WaitingSender last;
  private boolean over;

  // whether somebody stands in line; written under the lock, read by anybody
  private volatile boolean wanted;

  /// A sender in line.
  static final class WaitingSender {
    private final Envelope envelope;
    private final CompletableFuture<Push> outcome = new CompletableFuture<>();

    // under the lock of its room
    private @Nullable WaitingSender before;
    private @Nullable WaitingSender behind;
    private boolean inLine;

    WaitingSender(Envelope envelope) {
      this.envelope = envelope;
    }

    /// Completes when the message is in the mailbox, or will never be.
    CompletableFuture<Push> outcome() {
      return outcome;
    }
  }

  /// A line in which nobody stands.
  public SenderQueue(EventQueue queue) {
    this.queue = queue;
  }

  /// Whether somebody stands in line.
  boolean isWanted() {
    return wanted;
  }

  /// Gives the mailbox a message of somebody who does not wait: what room there is belongs to those
  /// in line.
  public Push offer(Envelope envelope) {
    return wanted ? Push.FULL : queue.push(envelope);
  }

  /// Goes to the end of the line. [#fill] must follow: there may be room by now.
  ///
  /// @return false when there will be no room any more
  boolean join(WaitingSender waitingSender) {
    lock.lock();
    try {
      if (over) {
        return false;
      }
      waitingSender.inLine = true;
      waitingSender.before = last;
      if (last == null) {
        first = waitingSender;
        wanted = true;
      } else {
        last.behind = waitingSender;
      }
      last = waitingSender;
    } finally {
      lock.unlock();
    }
    VarHandle.fullFence();
    return true;
  }

  /// There may be room. The receiver.
  public void made() {
    VarHandle.fullFence();
    if (wanted) {
      StackGuard.requireRoom(); // a lock that is cut off stays locked
      var _ = fill();
    }
  }

  /// Fills the room that there is with messages of those who stand in line, and tells them.
  ///
  /// @return whether something was put into the mailbox
  public boolean fill() {
    boolean any = false;
    WaitingSender served;
    while ((served = serve()) != null) {
      any = true;
      served.outcome.complete(Push.ACCEPTED);
    }
    return any;
  }

  /// Puts the message of the first one into the mailbox, if there is room.
  private @Nullable WaitingSender serve() {
    if (!wanted) {
      return null;
    }
    lock.lock();
    try {
      WaitingSender next = first;
      if (next == null || queue.push(next.envelope) != Push.ACCEPTED) {
        return null; // when it is closed, over() comes
      }
      remove(next);
      return next;
    } finally {
      lock.unlock();
    }
  }

  /// Leaves the line.
  ///
  /// @return false when the message was sent before, or will never be
  boolean withdraw(WaitingSender waitingSender) {
    lock.lock();
    try {
      if (!waitingSender.inLine) {
        return false;
      }
      remove(waitingSender);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void remove(WaitingSender waitingSender) {
    WaitingSender before = waitingSender.before;
    WaitingSender behind = waitingSender.behind;
    if (before == null) {
      first = behind;
      wanted = behind != null;
    } else {
      before.behind = behind;
    }
    if (behind == null) {
      last = before;
    } else {
      behind.before = before;
    }
    waitingSender.before = null;
    waitingSender.behind = null;
    waitingSender.inLine = false;
  }

  /// There will be no room any more.
  public void over() {
    if (this == UNUSED) {
      return;
    }
    WaitingSender all;
    lock.lock();
    try {
      over = true;
      all = first;
      for (WaitingSender waitingSender = all;
          waitingSender != null;
          waitingSender = waitingSender.behind) {
        waitingSender.inLine = false;
      }
      first = null;
      last = null;
      wanted = false;
    } finally {
      lock.unlock();
    }
    for (WaitingSender waitingSender = all, next; waitingSender != null; waitingSender = next) {
      next = waitingSender.behind; // its sender keeps the place, and not all behind it
      waitingSender.behind = null;
      waitingSender.before = null;
      waitingSender.outcome.complete(Push.CLOSED);
    }
  }

  // ---- senders ----

  /// Gives a process, whose mailbox was full a moment ago, a message when it is the sender's turn
  /// and there is room, where the caller can wait for that.
  public SendResult receive(Recipient process, @Nullable Object message) {
    if (this == UNUSED || !mayWait()) {
      return SendResult.FULL;
    }
    StackGuard.requireAmpleRoom(); // a lock that is cut off stays locked
    WaitingSender waitingSender = new WaitingSender(new Envelope(message));
    if (!join(waitingSender)) {
      return process.sendToEnded();
    }
    Push outcome;
    try {
      process.serveSenders();
      outcome = await(waitingSender.outcome, process.self());
    } catch (Throwable t) {
      var _ = withdraw(waitingSender);
      throw t;
    }
    return outcome == Push.ACCEPTED ? SendResult.ACCEPTED : process.sendToEnded();
  }

  /// Whether the current thread can wait without holding anything but itself.
  private static boolean mayWait() {
    return ProcessFiber.isCurrent() || Heddle.inCoroutine();
  }

  private static Push await(CompletableFuture<Push> outcome, Pid receiver) {
    if (!ProcessFiber.isCurrent()) {
      return Heddle.await(outcome);
    }
    if (outcome.isDone()) {
      return outcome.resultNow();
    }
    ProcessFiber.beginWait(new Awaited(Awaited.What.ROOM, receiver, null, outcome::isDone));
    try {
      outcome.get();
      return outcome.resultNow();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new Cancellation("interrupted while it waited for room in the mailbox of " + receiver);
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    } finally {
      ProcessFiber.endWait();
    }
  }
}
