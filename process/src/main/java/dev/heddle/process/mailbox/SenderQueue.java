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

/// Senders that wait for space in a mailbox, first in, first out.
public final class SenderQueue {
  /*
   * States of a waiting sender.
   *   from     event       to       actor, order
   *   OUTSIDE  join()      WAITING  the sender, after it found the mailbox full: under the lock, at
   *                                 the tail
   *   WAITING  fill()      OUTSIDE  the thread that makes or finds space, under the lock: it pushes
   *                                 the message of the first sender; then, without the lock, it
   *                                 completes the outcome
   *   WAITING  withdraw()  OUTSIDE  the sender, whose wait was cancelled or interrupted: under the
   *                                 lock; its message was not sent
   *   WAITING  over()      OUTSIDE  the thread that announces the exit, once: under the lock; then
   *                                 it completes the outcomes
   *
   * A message enters the mailbox when its sender is first and there is space, not when the sender
   * runs. So the mailbox is never empty while senders wait for a worker, only the senders that were
   * served are woken, and a sender that leaves the queue holds nothing that others wait for. While
   * a sender waits, offer() refuses all others.
   *
   * I1. Senders are served in the order in which they joined. [SenderQueueTest]
   * I2. No sender waits while there is space, except while a thread is in fill().
   *     [SenderQueueStress; mutant: SenderQueueStress.NoLook]
   * I3. A sender leaves the queue once: its message was pushed, or the sender learns that it was
   *     not. [SenderQueueTest, MailboxTest]
   *
   * Memory order. Sender: writes `wanted`, full fence, then checks for space. Receiver: makes
   * space, full fence, then reads `wanted`. One of the two reads sees the other's write: the sender
   * finds the space, or the receiver finds the sender. Without the fences the mailbox orders too
   * little: its last write is only a release, and a check of its space only an acquire.
   *
   * Cost. Without waiting senders: a fence and a read for each take, in mailboxes with the policy
   * SUSPEND. Otherwise a lock for each message.
   *
   * Rejected. Waking all senders when there is space: of 5,000 on two workers some waited for
   * seconds. Waking as many as there is space, which then push: their spaces would have to be
   * reserved, also for a sender that is cancelled meanwhile, and the receiver would wait until they
   * run.
   *
   * trap-1, trap-2, trap-3, trap-26.
   */

  /// For mailboxes on which no sender waits.
  public static final SenderQueue UNUSED = new SenderQueue(new EventQueue(1));

  private final EventQueue queue;
  private final SpinLock lock = new SpinLock();

  // under the lock
  private @Nullable WaitingSender first;
  private @Nullable WaitingSender last;
  private boolean over;

  // whether a sender waits; written under the lock, read by any thread
  volatile boolean wanted;

  static final class WaitingSender {
    private final Envelope envelope;

    // completes when the message is in the mailbox or will never be
    final CompletableFuture<Push> outcome = new CompletableFuture<>();

    // under the lock of the queue
    private @Nullable WaitingSender before;
    private @Nullable WaitingSender behind;
    private boolean waiting;

    WaitingSender(Envelope envelope) {
      this.envelope = envelope;
    }
  }

  public SenderQueue(EventQueue queue) {
    this.queue = queue;
  }

  /// Pushes the message of a sender that does not wait; any space belongs to the waiting ones.
  public Push offer(Envelope envelope) {
    return wanted ? Push.FULL : queue.push(envelope);
  }

  /// Pushes the first of several messages of a sender that does not wait, as [EventQueue#pushSome].
  public int offerSome(Envelope[] envelopes, int from, int end) {
    return wanted ? 0 : queue.pushSome(envelopes, from, end);
  }

  /// Adds a sender at the tail. [#fill] must follow: there may be space by now.
  ///
  /// @return false when there will be no more space
  boolean join(WaitingSender waitingSender) {
    lock.lock();
    try {
      if (over) {
        return false;
      }
      waitingSender.waiting = true;
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

  /// Serves waiting senders after the receiver has made space.
  public void made() {
    VarHandle.fullFence();
    if (wanted) {
      StackGuard.requireRoom(); // a stack overflow would leave the lock locked
      var _ = fill();
    }
  }

  /// Fills the space that there is with messages of waiting senders, and completes their outcomes.
  ///
  /// @return whether a message was pushed
  public boolean fill() {
    boolean any = false;
    WaitingSender served;
    while ((served = serve()) != null) {
      any = true;
      served.outcome.complete(Push.ACCEPTED);
    }
    return any;
  }

  /// Pushes the message of the first sender, if there is space.
  private @Nullable WaitingSender serve() {
    if (!wanted) {
      return null;
    }
    lock.lock();
    try {
      WaitingSender next = first;
      if (next == null || queue.push(next.envelope) != Push.ACCEPTED) {
        return null; // full, or closed: then over() follows
      }
      remove(next);
      return next;
    } finally {
      lock.unlock();
    }
  }

  /// Removes a sender.
  ///
  /// @return false when the message was sent before, or will never be
  boolean withdraw(WaitingSender waitingSender) {
    lock.lock();
    try {
      if (!waitingSender.waiting) {
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
    waitingSender.waiting = false;
  }

  /// Ends all waits: there will be no more space.
  public void over() {
    if (this == UNUSED) {
      return;
    }
    WaitingSender all;
    lock.lock();
    try {
      over = true;
      all = first;
      for (WaitingSender one = all; one != null; one = one.behind) {
        one.waiting = false;
      }
      first = null;
      last = null;
      wanted = false;
    } finally {
      lock.unlock();
    }
    for (WaitingSender waitingSender = all, next; waitingSender != null; waitingSender = next) {
      next = waitingSender.behind; // its sender must not keep the others in memory
      waitingSender.behind = null;
      waitingSender.before = null;
      waitingSender.outcome.complete(Push.CLOSED);
    }
  }

  // ---- senders ----

  /// Sends a message to a process whose mailbox was full a moment ago; waits for space if the
  /// caller can wait.
  public SendResult receive(Recipient process, @Nullable Object message) {
    if (this == UNUSED || !mayWait()) {
      return SendResult.FULL;
    }
    StackGuard.requireAmpleRoom(); // a stack overflow would leave the lock locked
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

  /// Whether the current thread can wait without holding a worker or a loop.
  public static boolean mayWait() {
    return ProcessFiber.isCurrent() || Heddle.inCoroutine();
  }

  /// Waits for space, on a thread that may wait.
  ///
  /// @param outcome completes when there is space, or will never be; nothing fails it
  public static <T extends @Nullable Object> T await(CompletableFuture<T> outcome, Pid receiver) {
    if (!ProcessFiber.isCurrent()) {
      return Heddle.await(outcome);
    }
    if (outcome.isDone()) {
      return outcome.resultNow();
    }
    ProcessFiber.beginWait(new Awaited(Awaited.What.SPACE, receiver, null, outcome::isDone));
    try {
      outcome.get();
      return outcome.resultNow();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new Cancellation("interrupted while it waited for space in the mailbox of " + receiver);
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    } finally {
      ProcessFiber.endWait();
    }
  }
}
