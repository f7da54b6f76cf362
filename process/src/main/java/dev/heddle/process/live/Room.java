// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.body.Awaited;
import dev.heddle.process.body.BodyThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// Senders who wait for room in a mailbox.
final class Room {
  /*
   * States.  from     event     to       who, order
   *          NOBODY   wanted()  WANTED   any sender, after it found the mailbox full: CAS; then it tries again, then waits
   *          WANTED   wanted()  WANTED   any other: waits for the same
   *          WANTED   made()    NOBODY   the step, after it has taken messages: CAS; then all who wait try again
   *          any      over()    OVER     whoever tells of the end: exchange, for ever; all who wait try a last time
   *
   * Memory order. Sender: write WANTED (CAS), then read the mailbox. Step: write the mailbox, full fence, then read the state. One of the two
   * reads sees the other's write: the sender finds room, or the step finds the sender. The mailbox's own last write is a release
   * only, hence the fence.
   *
   * Rejected. A line of those who wait, with a place kept for the first: who sends without waiting would be refused while there is room.
   */
  /// In the place of those who wait when there will be no room any more.
  private static final CompletableFuture<@Nullable Void> OVER =
      CompletableFuture.completedFuture(null);

  /// For mailboxes for whose room nobody waits.
  static final Room UNUSED = new Room();

  private static final VarHandle WANTED;

  static {
    try {
      WANTED = MethodHandles.lookup().findVarHandle(Room.class, "wanted", CompletableFuture.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // any thread, CAS
  @SuppressWarnings("unused") // through WANTED
  private volatile @Nullable CompletableFuture<@Nullable Void> wanted;

  /// Completes when there may be room.
  private CompletableFuture<@Nullable Void> wanted() {
    CompletableFuture<@Nullable Void> seen = wanted;
    if (seen != null) {
      return seen;
    }
    CompletableFuture<@Nullable Void> made = new CompletableFuture<>();
    return WANTED.compareAndSet(this, null, made) ? made : wanted();
  }

  /// There may be room.
  void made() {
    VarHandle.fullFence();
    CompletableFuture<@Nullable Void> waiting = wanted;
    if (waiting != null && waiting != OVER && WANTED.compareAndSet(this, waiting, null)) {
      waiting.complete(null);
    }
  }

  /// There will be none any more.
  @SuppressWarnings("unchecked") // nothing else is in the field
  void over() {
    if (this == UNUSED) {
      return;
    }
    var waiting = (CompletableFuture<@Nullable Void>) WANTED.getAndSet(this, OVER);
    if (waiting != null) {
      waiting.complete(null);
    }
  }

  /// Gives a process, whose mailbox was full a moment ago, a message as soon as there is room,
  /// where the caller can wait for that.
  SendResult receive(LiveProcess process, @Nullable Object message) {
    if (this == UNUSED || !mayWait()) {
      return SendResult.FULL;
    }
    while (true) {
      var made = wanted(); // before the next try, which sees what was taken before it, or the end
      SendResult result = process.receive(message);
      if (result != SendResult.FULL) {
        return result;
      }
      await(made, process.self());
    }
  }

  /// Whether the current thread can wait without holding anything but itself.
  private static boolean mayWait() {
    if (BodyThread.isCurrent()) {
      return true;
    }
    try {
      return Heddle.current() != null;
    } catch (IllegalStateException _) {
      return false; // no coroutine
    }
  }

  private static void await(CompletableFuture<@Nullable Void> made, Pid receiver) {
    if (!BodyThread.isCurrent()) {
      Heddle.await(made);
      return;
    }
    BodyThread.beginWait(new Awaited(Awaited.What.ROOM, receiver, null, made::isDone));
    try {
      made.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new Cancellation("interrupted while it waited for room in the mailbox of " + receiver);
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    } finally {
      BodyThread.endWait();
    }
  }
}
