// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Puts the messages and requests of the other node into the mailboxes here, and holds back those
/// whose mailbox has no space. Counts what the other node has sent and this one keeps.
final class Deliveries {
  /*
   * States of a receiver here.
   *
   * from    event                               to      then
   * (none)  a message leaves its mailbox nearly PAUSED  PAUSE is sent: processes there do not send
   *         full (three quarters)                       to it, or wait
   * (none)  its mailbox is full                 PAUSED  the same; the message is held or refused
   * PAUSED  a message comes, none is held       same    it is put into the mailbox; if that is
   *                                                     full, it is held (SUSPEND) or refused
   *                                                     (REJECT)
   * PAUSED  a message comes, others are held    same    it is held behind them
   * PAUSED  the mailbox is half empty, or its   same    the held ones are put into it in their
   *         process has ended                           order, as far as there is space
   * PAUSED  then none is held, and it is half   (none)  RESUME is sent
   *         empty or ended
   *
   * A held request whose asker gives up is dropped when it is its turn; its bytes count until then.
   * A give-up of a request that is not held leaves nothing here. [HeldAsksTest, FlowTest]
   *
   * So a full mailbox delays nobody else, and the order of what comes for one process is kept. What
   * is held is bounded by HELD_BYTES for the whole session: above, creditReturn() is not completed,
   * so the other node is given no credit for more packets.
   *
   * The bound of memory. What is held counts as the memory that it takes: arrays of HeldFrames,
   * entries of HeldAsks, and MAILBOX_COST for each receiver, also while nothing is held for it. So
   * HELD_BYTES bounds all that, however small the messages are. What is on its way then is held as
   * well: at most the window of a session, 2 MiB on the wire, for which HeldFrames takes about as
   * much. All this is less than 32 MiB for each other node. C9 [StalledReceiverTest]
   *
   * Nearly full mailboxes alone reach the bound, when there are some 78,000 of them: then replies
   * wait for credit, too.
   *
   * Not in that bound: ids that a hostile node spreads so that each takes an entry of HeldAsks, and
   * mailboxes that become full by what is on its way then. The first frame
   * behind each takes 408 bytes, against 9 or more on the wire. The number of mailboxes and what
   * they contain are the program's.
   *
   * Portions. Receivers whose mailboxes have space are ready, and one thread at a time serves those
   * that are: it puts a PORTION of what is held for them, and gives the lock back, which is fair.
   * So the thread that reads from the other node waits for one portion before each packet, however
   * many mailboxes are emptied, and however much is held. While it waits it reads no PING and no
   * ack, without which the session ends after 6 s. [FlowTest, StalledReceiverTest]
   *
   * Rejected. A thread for each mailbox with space. Of a thousand mailboxes hundreds waited for the
   * lock, and the reader behind them, before each frame: a packet took 0.6 s on a machine with
   * little else to do.
   *
   * Messages in a row. Those of one packet to one process that follow each other are decoded first
   * and then put into the mailbox together. Those that have no space then go one by one, as the
   * table says. A codec may wait, and the session may end meanwhile: so the end is looked at after
   * decoding, and nothing of the row is delivered then. [MessageRowsTest]
   *
   * A start counts as held until its process is started or refused: until then its input is kept,
   * and it may wait in code of the program.
   *
   * Threads. The lock of the delivery, which RemoteNode takes for each packet; the thread that
   * serves receivers takes it too, that of a start when all is done, and one that tries a part of
   * the end again. No worker and no body takes it.
   *
   * Failures. What a constructor of a message throws is an UndecodableMessageException here, but
   * for errors of the JVM. If anything else is thrown while held messages are put, the session
   * ends, as it does when a packet cannot be delivered: what is left may not come.
   */

  /// How many bytes are held before the other node gets no more credit.
  static final long HELD_BYTES = 24L << 20; // with the window and arrays that are not full < 32 MiB

  private static final int START_COST = 2_048; // of its thread (1,950, measured)
  private static final int MOST_IN_ROW = 512; // looked at again when one cannot be decoded
  private static final int PORTION = 1_024; // of what is held
  private static final int TRIES = 1_000; // a sender in the mailbox's queue is just served

  /// Of a receiver, with its place in the map and its wait for space (280 to 340, measured).
  static final int MAILBOX_COST = 320;

  private static final CompletableFuture<@Nullable Void> NOW =
      CompletableFuture.completedFuture(null);

  /// A process whose senders at the other node are paused.
  private static final class Receiver {
    final Pid to;
    final HeldFrames held;
    @Nullable CompletableFuture<@Nullable Void> room; // that it waits for; NOW when it is ready

    Receiver(Pid to) {
      this.to = to;
      held = new HeldFrames(to);
    }
  }

  private final RemoteContext context;
  private final IncomingCalls calls;
  private final IncomingRefusals refusals;
  private final DeliveryLock lock;
  private final BooleanSupplier isEnded;
  private final Queue<Receiver> ready = new ConcurrentLinkedQueue<>(); // any thread
  private final SerialExecutor serving;

  // under the lock
  private final Map<Pid, Receiver> receivers = new HashMap<>();
  private final HeldAsks heldAsks = new HeldAsks(); // those that were not given up
  private CompletableFuture<@Nullable Void> credit = NOW;
  private boolean ended;

  // written under the lock, read by any thread
  private final AtomicLong heldBytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  /// @param lock that of the delivery
  /// @param isEnded whether the session has ended; any thread
  Deliveries(
      RemoteContext context,
      IncomingCalls calls,
      IncomingRefusals refusals,
      DeliveryLock lock,
      BooleanSupplier isEnded) {
    this.context = context;
    this.calls = calls;
    this.refusals = refusals;
    this.lock = lock;
    this.isEnded = isEnded;
    this.serving = new SerialExecutor(context.local().callbacks());
  }

  /// How many bytes of memory are taken by what waits behind full mailboxes, and by the receivers
  /// themselves. Takes no lock: observers never wait for a delivery.
  long heldBytes() {
    return heldBytes.get();
  }

  /// How many held messages the end of the session has dropped.
  long dropped() {
    return dropped.get();
  }

  /// Completes when no more than [#HELD_BYTES] are held.
  CompletableFuture<@Nullable Void> creditReturn() {
    if (heldBytes.get() <= HELD_BYTES) {
      return NOW; // without the lock: the reader has waited for it once
    }
    lock.lock();
    try {
      if (heldBytes.get() > HELD_BYTES && credit.isDone()) {
        credit = new CompletableFuture<>();
      }
      return credit;
    } finally {
      lock.unlock();
    }
  }

  // ---- frames, under the lock ----

  void message(Frame.Message message) {
    deliver(message.to(), message);
  }

  void ask(Frame.Ask ask) {
    deliver(ask.to(), ask);
  }

  /// Counts a start that is under way as held.
  ///
  /// @param bytes of its input
  void startBegins(int bytes) {
    count(START_COST + bytes);
  }

  /// The start is over, whatever came of it. Takes the lock.
  void startIsOver(int bytes) {
    lock.lock();
    try {
      if (!ended) {
        count(-(START_COST + bytes));
        returnCredit();
      }
    } finally {
      lock.unlock();
    }
  }

  private void returnCredit() {
    if (heldBytes.get() <= HELD_BYTES) {
      credit.complete(null);
    }
  }

  /// An asker has given up: if its request is held, it is not delivered.
  void giveUp(long id) {
    long before = heldAsks.memory();
    heldAsks.remove(id);
    count(heldAsks.memory() - before);
    returnCredit();
  }

  private void count(long bytes) {
    var _ = heldBytes.addAndGet(bytes);
  }

  /// Delivers a message, and those that follow it in its packet to the same process.
  ///
  /// @return the index of the first frame that is left
  int messages(List<Frame> packet, int first) {
    Frame.Message message = (Frame.Message) packet.get(first);
    Pid to = message.to();
    int rowEnd = hasHeld(to) ? first + 1 : endOfRow(to, packet, first);
    @Nullable Object[] row = rowEnd == first + 1 ? new Object[0] : decodeRow(packet, first, rowEnd);
    if (row.length == 0) {
      deliver(to, message);
      return first + 1;
    }
    int end = first + row.length;
    if (isEnded.getAsBoolean()) {
      return end;
    }
    int put = context.local().offerAll(to, row);
    if (put == row.length) {
      pauseIfNearlyFull(to);
    }
    for (int i = first + put; i < end && !isEnded.getAsBoolean(); i++) {
      deliver(to, packet.get(i));
    }
    return end;
  }

  private boolean hasHeld(Pid to) {
    Receiver receiver = receivers.get(to);
    return receiver != null && !receiver.held.isEmpty();
  }

  private static int endOfRow(Pid to, List<Frame> packet, int first) {
    int end = first + 1;
    while (end - first < MOST_IN_ROW && isMessageTo(to, packet, end)) {
      end++;
    }
    return end;
  }

  private static boolean isMessageTo(Pid to, List<Frame> packet, int index) {
    return index < packet.size()
        && packet.get(index) instanceof Frame.Message next
        && next.to().equals(to);
  }

  /// Decodes the messages of a row, up to one that cannot be decoded.
  private @Nullable Object[] decodeRow(List<Frame> packet, int first, int end) {
    @Nullable Object[] row = new Object[end - first];
    for (int i = 0; i < row.length; i++) {
      try {
        row[i] = context.contents().decode(((Frame.Message) packet.get(first + i)).content());
      } catch (UndecodableMessageException _) {
        return Arrays.copyOf(row, i); // safe: when its turn comes, that message is refused
      }
    }
    return row;
  }

  private void pauseIfNearlyFull(Pid to) {
    if (receivers.get(to) == null) {
      MailboxPolicy full = context.local().nearlyFull(to);
      if (full != null) {
        var _ = serve(pause(to, full), PORTION);
      }
    }
  }

  private void deliver(Pid to, Frame frame) {
    Receiver receiver = receivers.get(to);
    if (receiver != null && !receiver.held.isEmpty()) {
      hold(receiver, frame);
      return;
    }
    boolean isTaken = put(to, frame);
    if (isTaken && receiver != null) {
      return;
    }
    MailboxPolicy full = context.local().nearlyFull(to);
    if (receiver == null && (full != null || !isTaken)) {
      receiver = pause(to, full == null ? MailboxPolicy.SUSPEND : full);
    }
    if (!isTaken && receiver != null) {
      hold(receiver, frame);
    }
    if (receiver != null && receiver.room == null) {
      var _ = serve(receiver, PORTION);
    }
  }

  private Receiver pause(Pid to, MailboxPolicy policy) {
    Receiver receiver = new Receiver(to);
    receivers.put(to, receiver);
    count(MAILBOX_COST);
    context.send(new Frame.Pause(to, policy));
    return receiver;
  }

  private void hold(Receiver receiver, Frame frame) {
    long before = memory(receiver);
    receiver.held.add(frame);
    if (frame instanceof Frame.Ask ask) {
      heldAsks.add(ask.id());
    }
    count(memory(receiver) - before);
  }

  private long memory(Receiver receiver) {
    return receiver.held.memory() + heldAsks.memory();
  }

  // ---- into the mailbox, under the lock ----

  /// @return false when the mailbox is full and its policy lets senders wait
  private boolean put(Pid to, Frame frame) {
    SendResult result = offer(frame);
    if (result == SendResult.FULL && isHolding(to)) {
      return false;
    }
    if (result != SendResult.ACCEPTED) {
      refuse(frame, to, result);
    }
    return true;
  }

  private SendResult offer(Frame frame) {
    return switch (frame) {
      case Frame.Message message -> offer(message);
      case Frame.Ask ask -> calls.ask(ask);
      default -> throw new IllegalArgumentException("neither a message nor a request: " + frame);
    };
  }

  private SendResult offer(Frame.Message message) {
    Object content;
    try {
      content = context.contents().decode(message.content());
    } catch (UndecodableMessageException e) {
      refusals.logUndecodable(message.to(), e);
      return SendResult.NOT_SENDABLE;
    }
    if (isEnded.getAsBoolean()) { // a constructor may have waited for long
      return SendResult.ACCEPTED; // dropped: those of the next session may have come
    }
    return context.local().offer(message.to(), content);
  }

  /// Whether messages to a full mailbox wait. Between the refusal and this call the mailbox may
  /// have got space; then they wait too, for a moment.
  private boolean isHolding(Pid to) {
    MailboxPolicy policy = context.local().nearlyFull(to);
    return policy == MailboxPolicy.SUSPEND || (policy == null && context.local().find(to) != null);
  }

  private void refuse(Frame frame, Pid to, SendResult why) {
    refusals.add(to, why.name());
    if (frame instanceof Frame.Ask ask) {
      calls.failAsk(ask, new SendFailedException(to, why));
    } else {
      context.send(new Frame.Refused(to, why, 1));
    }
  }

  // ---- space ----

  /// Puts what is held into the mailbox, and waits for more space or ends the pause.
  ///
  /// @param most how many it puts before others are served
  /// @return how many it has put or refused
  private int serve(Receiver receiver, int most) {
    Pid to = receiver.to;
    int all = 0;
    for (int tries = 0; !isEnded.getAsBoolean(); tries++) {
      receiver.room = null;
      int put = putHeld(to, receiver, most - all);
      all += put;
      if (all >= most && !receiver.held.isEmpty()) {
        awaitRoom(receiver, NOW);
        return all;
      }
      tries = put == 0 ? tries : 0;
      CompletableFuture<@Nullable Void> room = context.local().room(to);
      if (!room.isDone()) {
        awaitRoom(receiver, room);
        return all;
      }
      if (receiver.held.isEmpty()) {
        receivers.remove(to);
        count(-MAILBOX_COST);
        returnCredit();
        context.send(new Frame.Resume(to));
        return all;
      }
      if (tries == TRIES) { // it reports space and has none
        refuseFirst(to, receiver);
        all++;
        tries = 0;
      }
    }
    return all;
  }

  private void awaitRoom(Receiver receiver, CompletableFuture<@Nullable Void> room) {
    receiver.room = room;
    receiver.held.forgetPeeked();
    var _ =
        room.whenComplete((_, failure) -> {
          if (failure == null) { // else the session has ended
            isReady(receiver);
          }
        });
  }

  /// Any thread.
  private void isReady(Receiver receiver) {
    try {
      ready.add(receiver);
      serving.execute(this::servePortion);
    } catch (Error e) { // no memory: nobody would serve it
      context.sink().fail(e);
    }
  }

  /// Serves receivers that are ready. It is called once for each, and may serve several.
  private void servePortion() {
    if (ready.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      int left = PORTION;
      for (Receiver next = ready.poll(); next != null; next = left > 0 ? ready.poll() : null) {
        if (receivers.get(next.to) == next) {
          left -= Math.max(1, serve(next, left));
        }
      }
    } catch (Throwable t) {
      context.sink().fail(t);
    } finally {
      lock.unlock();
    }
  }

  /// @return how many it has put, at most so many
  private int putHeld(Pid to, Receiver receiver, int most) {
    int put = 0;
    Frame first = receiver.held.peek();
    while (first != null
        && put < most
        && !isEnded.getAsBoolean()
        && (isGivenUp(first) || put(to, first))) {
      release(first, receiver);
      put++;
      first = receiver.held.peek();
    }
    returnCredit();
    return put;
  }

  private boolean isGivenUp(Frame held) {
    return held instanceof Frame.Ask ask && !heldAsks.contains(ask.id());
  }

  private void release(Frame first, Receiver receiver) {
    long before = memory(receiver);
    receiver.held.remove();
    if (first instanceof Frame.Ask ask) {
      heldAsks.remove(ask.id());
    }
    count(memory(receiver) - before);
  }

  private void refuseFirst(Pid to, Receiver receiver) {
    Frame first = receiver.held.peek();
    if (first != null) {
      release(first, receiver);
      refuse(first, to, SendResult.FULL);
    }
  }

  // ---- the end, under the lock ----

  /// If it throws, another call continues there.
  void ended() {
    ended = true;
    for (Iterator<Receiver> each = receivers.values().iterator(); each.hasNext(); each.remove()) {
      Receiver receiver = each.next();
      if (receiver.room != null) {
        receiver.room.cancel(false);
      }
      var _ = dropped.addAndGet(receiver.held.size());
    }
    ready.clear();
    heldAsks.clear();
    heldBytes.set(0);
    credit.complete(null);
  }
}
