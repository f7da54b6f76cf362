// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What has come for one task, from any thread, and has not been taken by it yet: urgent things
/// first, then the others in the order in which they came. Of the others, messages count to a
/// bound.
public final class EventQueue {
  /*
   * Two lanes, each a Treiber stack that the consumer empties with one CAS and turns round. A node
   * of the ordinary lane knows how many messages lie in its stack up to it, so the length of the
   * lane costs nothing; what the consumer has turned round and not yet handed out it adds in
   * `reversedCount`.
   *
   * States of a lane.  OPEN  push()   OPEN    any thread: CAS
   *                    OPEN  take     OPEN    consumer: CAS to empty
   *                    OPEN  close()  CLOSED  consumer: exchange with a sentinel, for ever
   *
   * In a queue that drops the oldest for what comes, the ordinary lane is a DropOldestLane instead.
   *
   * In order. What has no bound and is not to overtake, nor to be overtaken (the end of a process
   * and its last messages, an answer and the messages around it), lies in the ordinary lane, and
   * does not count. A node says whether it counts, and whether some below it do not: where all
   * count, the consumer knows from the newest node how many it takes.
   *
   * The deaf. A consumer that waits for results only is given those first, whatever they stand
   * behind: it takes them out of the lane.
   *
   * Two ways to consume. take() hands out, and what is handed out has left the queue. Or the
   * consumer looks at one node after the other, and takes out those that it wants: the others
   * stay, and count. What was turned round lies in a Backlog in both.
   *
   * Threads. push and length: any. The rest: one consumer at a time, handed over with a fence
   * (Task's word).
   *
   * I1. Within a lane, nodes of one producer leave in the order of its pushes. [EventQueueTest,
   *     EventQueueLincheckTest]
   * I2. A node that was accepted is taken, or returned by close(). [EventQueueTest,
   *     EventQueueStress]
   * I3. A lane with a bound refuses a node only when it is full, counting what was turned round and
   *     is left. While the consumer turns the nodes of a stack round, `reversedCount` is below zero
   *     by their number and that of those left before: they are in the stack or out of it, and a
   *     producer whose answer depends on that waits for the few instructions until it is known.
   *     Else a mailbox that is half full would refuse whatever comes while its consumer is
   *     descheduled there. Mutant: EventQueueStress.CountsTwice. [EventQueueStress]
   * I4. It never holds more than its bound. A producer that is descheduled between its look at an
   *     empty stack and its CAS may find the stack empty again, but filled and turned round
   *     meanwhile. So the stack is left empty only where one more fits: where the take that turns
   *     it round hands out one at the least, which has left with the CAS (hence one store of
   *     `reversedCount` after that, not one of all and another of the rest), or less than the bound
   *     is held after it. Else the stack stands on a Mark from then on, which is another each time.
   *     A stack that is not empty is known by its newest node, which comes once; or again, when
   *     results, which do not count, have come and gone on it. Where some do not count, a take
   *     hands out all that is there, or leaves it as a look does. Mutants:
   *     EventQueueStress.HandsOutLater, NoMark. [EventQueueStress, EventQueueLincheckTest]
   * I5. What stands in order is handed out behind all that its producer had pushed before it, and
   *     before all that it pushes later. Mutants: EventQueueStress.LooksTooSoon, LooksTooLate.
   *     [EventQueueStress, EventQueueModelTest]
   *
   * Memory order. Push and take are CASes on the head (volatile): what the producer wrote before is
   * seen by the consumer. `reversedCount` is published by the same CAS, and lowered by release
   * stores. A producer reads head, `reversedCount`, and, before it says that the lane is full, the
   * head again: if that has not moved, `reversedCount` was of the same moment.
   *
   * Cost. A CAS a push, a CAS for all that has come, a walk for a take: the consumer writes to the
   * line that producers CAS twice a take, not with each node; one that takes out node by node does
   * so when it says that it has (publish). A producer that is descheduled in the middle delays
   * nobody: a node that is not linked is not there (trap-39). A Backlog is made for those that
   * need one.
   *
   * Bursts. Where there is no bound, a node may be a Burst, to which its producer adds while it
   * lies in the lane, and whose items are handed out in slices. What comes off the lane is then
   * kept as it is, in ReversedBursts. A consumer that looks at one after the other moves all of
   * that to `backlog` first, each item as a node of its own; it may become one that is handed out,
   * and the other way round: `backlog` comes first in both.
   *
   * Rejected. Claimed slots or links (Vyukov's queue, JCTools' linked and array queues): the
   * consumer meets gaps and must spin or come back; and an idle task would keep a chunk or a stub.
   * One lane: a control event behind a million messages. What stands in order in the urgent lane,
   * and is put behind the messages by the consumer: it cannot know which of them came later.
   * Numbers of messages seen before, in each signal: a count for each sender and receiver.
   *
   * Sources. P9; R. K. Treiber, 1986; trap-39.
   */

  /// A link of the queue, made by who pushes.
  public abstract static class Node {
    // the producer until the CAS, then the consumer
    @Nullable Node next;

    // Written before the CAS, constant after. n: the messages in its stack, up to it.
    // Of a message 2n, or 2n + 1 where others lie among them.
    // Of another ~2n; of a result ~(2n + 1).
    int depth;

    /// Not in a queue.
    protected Node() {}

    /// Whether it counts to the bound.
    final boolean counts() {
      return depth >= 0;
    }

    /// Whether the consumer has asked for it.
    final boolean isResult() {
      return depth < 0 && (depth & 1) == 0;
    }

    /// How many count, in the stack up to it.
    final int counting() {
      return (depth < 0 ? ~depth : depth) >>> 1;
    }

    /// Whether some do not, in the stack up to it.
    final boolean hasUncounted() {
      return depth < 0 || (depth & 1) != 0;
    }
  }

  /// What became of a push.
  public enum Push {
    /// it will be taken, or returned by the close
    ACCEPTED,
    /// the bound is reached
    FULL,
    /// nobody will take any more
    CLOSED
  }

  private static final class Sentinel extends Node {}

  /// What a stack stands on that would else be empty while the bound is held.
  private static final class Mark extends Node {}

  private static final int URGENT_ONE = ~0;
  private static final int RESULT = ~1;
  private static final int MOST = (1 << 30) - 2; // messages; so a node can count one more

  private static final Node CLOSED = new Sentinel();
  private static final VarHandle URGENT;
  private static final VarHandle ORDINARY;
  private static final VarHandle REVERSED_COUNT;
  private static final VarHandle COUNTED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      URGENT = lookup.findVarHandle(EventQueue.class, "urgent", Node.class);
      ORDINARY = lookup.findVarHandle(EventQueue.class, "ordinary", Node.class);
      REVERSED_COUNT = lookup.findVarHandle(EventQueue.class, "reversedCount", int.class);
      COUNTED = lookup.findVarHandle(EventQueue.class, "counted", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int bound;
  private final @Nullable DropOldestLane dropOldest; // the ordinary lane, when the oldest gives way

  // any thread, CAS
  @SuppressWarnings("FieldMayBeFinal") // through URGENT
  private volatile @Nullable Node urgent;

  @SuppressWarnings("FieldMayBeFinal") // through ORDINARY
  private volatile @Nullable Node ordinary;

  // the consumer writes, producers read
  @SuppressWarnings("unused") // through REVERSED_COUNT
  private int reversedCount;

  // any thread, adds: what is in bursts that have ended, without the one of each that is a node
  @SuppressWarnings("unused") // through COUNTED
  private volatile int counted;

  // the consumer: turned round and left, where there has been such
  private @Nullable Backlog urgentBacklog;
  private @Nullable Backlog backlog;
  private @Nullable ReversedBursts reversedBursts; // behind `backlog`, where there is no bound

  /// An open, empty queue.
  ///
  /// @param bound of the ordinary lane, at least 1; none is above the 2^30 that can be counted
  public EventQueue(int bound) {
    this(bound, false);
  }

  /// An open, empty queue.
  ///
  /// @param bound of the ordinary lane, at least 1
  /// @param dropsOldest whether the oldest ordinary node gives way to one that comes
  public EventQueue(int bound, boolean dropsOldest) {
    if (bound < 1) {
      throw new IllegalArgumentException("a queue holds at least one: " + bound);
    }
    this.bound = Math.min(bound, MOST);
    this.dropOldest = dropsOldest ? new DropOldestLane(bound) : null;
  }

  // ---- producers ----

  /// Puts a node behind the others of its kind that are urgent.
  public Push pushUrgent(Node node) {
    return pushUrgent(node, URGENT_ONE);
  }

  /// Puts a node behind the others that are not urgent, whatever the bound.
  public Push pushInOrder(Node node) {
    return pushInOrder(node, 0);
  }

  /// Puts the result of something that the consumer has asked for.
  ///
  /// @param inOrder whether it stands behind the others that are not urgent, but for a consumer
  ///   that is deaf to those
  public Push pushResult(Node node, boolean inOrder) {
    return inOrder ? pushInOrder(node, 1) : pushUrgent(node, RESULT);
  }

  private Push pushUrgent(Node node, int kind) {
    node.depth = kind;
    while (true) {
      Node seen = urgent;
      if (seen == CLOSED) {
        return Push.CLOSED;
      }
      node.next = seen;
      if (URGENT.compareAndSet(this, seen, node)) {
        return Push.ACCEPTED;
      }
    }
  }

  private Push pushInOrder(Node node, int result) {
    if (dropOldest != null) {
      node.depth = ~result;
      return dropOldest.pushInOrder(node);
    }
    while (true) {
      Node seen = ordinary;
      if (seen == CLOSED) {
        return Push.CLOSED;
      }
      node.next = seen;
      node.depth = ~((seen == null ? 0 : seen.counting() << 1) | result);
      if (ORDINARY.compareAndSet(this, seen, node)) {
        return Push.ACCEPTED;
      }
    }
  }

  /// Puts a node behind the others.
  public Push push(Node node) {
    while (true) {
      Node seen = ordinary;
      if (seen == CLOSED) {
        return Push.CLOSED;
      }
      link(node, seen);
      int counting = node.counting();
      int turned = reversedCountAcquire();
      if (counting + Math.abs(turned) <= bound) {
        if (ORDINARY.compareAndSet(this, seen, node)) {
          return Push.ACCEPTED;
        }
      } else if (counting > bound || (turned >= 0 && ordinary == seen)) {
        return Push.FULL;
      } else {
        Thread.onSpinWait(); // not a yield: in a coroutine that would let others run
      }
    }
  }

  /// Puts a node behind the others, of which the oldest gives way when the bound is reached.
  ///
  /// @param displaced is given that one
  /// @throws IllegalStateException when this queue was not made so
  public Push push(Node node, Consumer<Node> displaced) {
    if (dropOldest == null) {
      throw new IllegalStateException("nothing gives way in this queue");
    }
    return dropOldest.push(node, displaced);
  }

  /// Whether a node may find it full, or displace another. Only where there is no bound it may be
  /// given a [Burst].
  public boolean isBounded() {
    return bound != MOST || dropOldest != null;
  }

  /// So many more items, or fewer, are in bursts that have ended.
  void count(int items) {
    if (items != 0) {
      var _ = (int) COUNTED.getAndAdd(this, items);
    }
  }

  private static void link(Node node, @Nullable Node seen) {
    node.next = seen;
    int below = seen == null ? 0 : seen.depth;
    node.depth = (below < 0 ? ~below | 1 : below) + 2;
  }

  /// How many ordinary nodes there are, as of a moment ago.
  public int length() {
    return length(0);
  }

  /// The same, with so many in bursts that have not ended, without the one of each that is a node.
  public int length(int inBursts) {
    if (dropOldest != null) {
      return dropOldest.size();
    }
    Node seen;
    int held;
    do {
      seen = ordinary;
      held = reversedCountAcquire();
    } while (ordinary != seen); // else what was turned round meanwhile would count twice
    if (seen == CLOSED) {
      return 0;
    }
    int stacked = seen == null ? 0 : seen.counting();
    int nodes = held < 0 ? Math.max(stacked, -held) : stacked + held;
    return isBounded() ? nodes : Math.max(0, nodes + counted + inBursts);
  }

  // ---- the consumer, which is handed things out ----

  /// As [#take(int, boolean)], for a consumer that is not deaf.
  public @Nullable Node take(int most) {
    return take(most, false);
  }

  /// Takes what is there, urgent nodes first, each lane oldest first; what has come meanwhile may
  /// be left for the next take.
  ///
  /// @param most nodes, at least 1; where there is no bound, a node counts as many times as it has
  ///   items out of a [Burst]
  /// @param deaf whether results come before the ordinary nodes, whatever they stand behind
  /// @return the first, linked by [#after], or null
  public @Nullable Node take(int most, boolean deaf) {
    Node first = urgent == null ? null : reversed((Node) URGENT.getAndSet(this, null), null);
    if (deaf) {
      first = joined(first, takeOrdered());
    }
    if (urgentBacklog != null && !urgentBacklog.isEmpty()) {
      urgentBacklog.append(first);
      first = urgentBacklog.handOut(most);
    }
    if (first == null) {
      return takeOrdinary(most);
    }
    Node last = first;
    int room = most - 1;
    for (; room > 0 && last.next != null; room--) {
      last = last.next;
    }
    if (last.next != null) {
      urgentBacklog().append(last.next);
    }
    last.next = room == 0 ? null : takeOrdinary(room);
    return first;
  }

  private @Nullable Node takeOrdinary(int most) {
    if (dropOldest != null) {
      return dropOldest.take(most);
    }
    if (backlog == null || backlog.isEmpty()) {
      return isBounded() ? reverseAndTake(most) : reverseAndPick(most);
    }
    Node first = backlog.handOut(most);
    publish();
    return first;
  }

  /// What has come, but for what is behind the `most` first ones. Nothing is held before.
  private @Nullable Node reverseAndTake(int most) {
    Node bottom = backlog == null ? null : backlog.bottom;
    Node seen;
    for (boolean again = false;
        (seen = ordinary) != null && seen != bottom;
        again = true) { // a walk for each node that comes meanwhile would have no end
      if (seen.hasUncounted() && (again || isLongerThan(most, seen, bottom))) {
        reverseArrivals();
        Node first = backlog().handOut(most);
        publish();
        return first;
      }
      int all = seen.counting();
      Backlog to = all > most ? backlog() : backlog; // before: there may be no memory for one
      REVERSED_COUNT.setRelease(this, -all);
      if (ORDINARY.compareAndSet(this, seen, null)) {
        REVERSED_COUNT.setRelease(this, Math.max(0, all - most));
        Node first = reversed(seen, bottom);
        if (to == null) {
          return first;
        }
        to.bottom = null;
        if (all <= most) {
          return first;
        }
        to.append(first, seen, all);
        return to.handOut(most);
      }
    }
    return null;
  }

  private static boolean isLongerThan(int most, Node newest, @Nullable Node bottom) {
    int nodes = 0;
    for (Node node = newest; node != null && node != bottom; node = node.next) {
      if (++nodes > most) {
        return true;
      }
    }
    return false;
  }

  /// Turns round what has come, and leaves it behind what was left before.
  private void reverseArrivals() {
    Backlog to = reversalTarget();
    Node seen;
    while ((seen = ordinary) != null && seen != to.bottom) {
      int counting = seen.counting();
      int all = messagesLeft() + counting;
      Node under = all >= bound ? new Mark() : null;
      REVERSED_COUNT.setRelease(this, -all);
      if (ORDINARY.compareAndSet(this, seen, under)) {
        REVERSED_COUNT.setRelease(this, all);
        Node first = reversed(seen, to.bottom);
        if (seen.hasUncounted()) {
          to.append(first);
        } else {
          to.append(first, seen, counting);
        }
        to.bottom = under;
        return;
      }
    }
  }

  // ---- the same, where there is no bound ----

  private @Nullable Node reverseAndPick(int most) {
    if (ordinary != null && (reversedBursts == null || reversedBursts.nodes.isEmpty())) {
      reverseArrivals(); // before any look into a burst
    }
    if (reversedBursts == null) {
      return null;
    }
    try {
      return reversedBursts.pick(most);
    } finally {
      publish();
      count(reversedBursts.settled());
    }
  }

  /// Turns round what has come, and leaves all of it one by one.
  private void reverseArrivalsSingly() {
    Backlog to = backlog();
    reverseArrivals();
    ReversedBursts from = reversedBursts();
    try {
      for (Node node; (node = from.pick(1)) != null; ) {
        to.append(node);
      }
    } finally {
      publish();
      count(from.settled());
    }
  }

  /// Whether a take would find nothing.
  public boolean isEmpty() {
    return urgent == null && (urgentBacklog == null || urgentBacklog.isEmpty()) && !hasOrdinary();
  }

  /// Whether there is something in the ordinary lane, or in order with that.
  private boolean hasOrdinary() {
    if (dropOldest != null) {
      return !dropOldest.isEmpty();
    }
    return (backlog == null ? ordinary != null : !backlog.isEmpty() || ordinary != backlog.bottom)
        || hasReversed();
  }

  private boolean hasReversed() {
    return reversedBursts != null && reversedBursts.hasMore();
  }

  /// Whether there is a node that has come by [#pushUrgent], [#pushInOrder] or [#pushResult].
  public boolean hasUrgent() {
    return urgent != null
        || (urgentBacklog != null && !urgentBacklog.isEmpty())
        || (dropOldest != null ? dropOldest.inOrder() > 0 : hasInOrder());
  }

  private boolean hasInOrder() {
    Node newest = ordinary;
    return (newest != null && newest.hasUncounted())
        || (backlog != null && backlog.inOrder() > 0)
        || (reversedBursts != null && reversedBursts.nodes.inOrder() > 0);
  }

  // ---- the consumer, which looks at one after the other and takes out what it wants ----

  /// Whether [#takeResults] would find something that has come since it was called last; there may
  /// be no result in that.
  public boolean hasUrgentNews() {
    if (urgent != null) {
      return true;
    }
    Node newest = ordinary;
    return dropOldest != null ? dropOldest.results() > 0 : newest != null && newest.hasUncounted();
  }

  /// Takes the results that have come. All else is left for [#peekNext].
  ///
  /// @return the first, linked by [#after], or null
  public @Nullable Node takeResults() {
    if (!hasUrgentNews()) {
      return null;
    }
    return joined(takeUrgentResults(), takeOrdered());
  }

  private @Nullable Node takeUrgentResults() {
    Node left = urgentBacklog == null ? null : urgentBacklog.takeOutResults(null);
    Node newest;
    while ((newest = urgent) != null) {
      boolean only = isMadeOfResults(newest, null);
      Backlog others = only ? urgentBacklog : urgentBacklog(); // before: it takes memory
      if (URGENT.compareAndSet(this, newest, null)) {
        Node first = reversed(newest, null);
        if (!only && others != null) {
          Node behind = others.last();
          others.append(first);
          first = others.takeOutResults(behind);
        }
        return joined(left, first);
      }
    }
    return left;
  }

  /// Takes the results out of the ordinary lane, whatever they stand behind.
  private @Nullable Node takeOrdered() {
    if (dropOldest != null) {
      return dropOldest.takeResults();
    }
    Node results = backlog == null ? null : backlog.takeOutResults(null);
    if (reversedBursts != null) {
      results = joined(results, reversedBursts.nodes.takeOutResults(null));
    }
    Node newest;
    while ((newest = ordinary) != null && newest.hasUncounted()) {
      Backlog to = isBounded() ? backlog : reversedBursts == null ? null : reversedBursts.nodes;
      Node bottom = to == null ? null : to.bottom;
      if (!isMadeOfResults(newest, bottom)) {
        to = reversalTarget();
        Node behind = to.last();
        reverseArrivals();
        return joined(results, to.takeOutResults(behind));
      }
      if (ORDINARY.compareAndSet(this, newest, bottom)) { // nothing that counts: I4
        return joined(results, reversed(newest, bottom));
      }
    }
    return results;
  }

  private static boolean isMadeOfResults(Node newest, @Nullable Node bottom) {
    Node node = newest;
    while (node != null && node != bottom && node.isResult()) {
      node = node.next;
    }
    return node == bottom;
  }

  /// Begins at the oldest.
  public void rewind() {
    if (urgentBacklog != null) {
      urgentBacklog.rewind();
    }
    if (dropOldest != null) {
      dropOldest.rewind();
    } else if (backlog != null) {
      backlog.rewind();
    }
  }

  /// The first node that was not left since the last [#rewind]; the urgent ones first.
  public @Nullable Node peekNext() {
    Node urgentOne = urgentBacklog == null ? null : urgentBacklog.look();
    if (urgentOne != null) {
      return urgentOne;
    }
    if (dropOldest != null) {
      return dropOldest.look();
    }
    Node first = backlog == null ? null : backlog.look();
    if (first == null && (ordinary != (backlog == null ? null : backlog.bottom) || hasReversed())) {
      if (isBounded()) {
        reverseArrivals();
      } else {
        reverseArrivalsSingly();
      }
      first = backlog().look();
    }
    return first;
  }

  /// Whether a look may find something.
  public boolean hasNews() {
    return urgent != null
        || (urgentBacklog != null && urgentBacklog.look() != null)
        || (dropOldest != null
            ? dropOldest.look() != null
            : backlog == null
                ? ordinary != null
                : backlog.look() != null || ordinary != backlog.bottom)
        || hasReversed();
  }

  /// Leaves the node that [#peekNext] has returned, for a look after the next [#rewind].
  public void skip(Node looked) {
    if (urgentBacklog != null && urgentBacklog.look() == looked) {
      urgentBacklog.skip();
    } else if (dropOldest != null) {
      dropOldest.skip(looked);
    } else if (backlog != null && backlog.look() == looked) {
      backlog.skip();
    }
  }

  /// Takes out the node that [#peekNext] has returned. It counts until [#publish].
  ///
  /// @return false when it is gone: it gave way to another, or was taken out meanwhile
  public boolean remove(Node looked) {
    if (urgentBacklog != null && urgentBacklog.look() == looked) {
      urgentBacklog.remove();
      return true;
    }
    if (dropOldest != null) {
      return dropOldest.remove(looked);
    }
    if (backlog != null && backlog.look() == looked) {
      backlog.remove();
      return true;
    }
    return false;
  }

  /// What was taken out counts no longer.
  public void publish() {
    REVERSED_COUNT.setRelease(this, messagesLeft());
  }

  private int messagesLeft() {
    return (backlog == null ? 0 : backlog.messages())
        + (reversedBursts == null ? 0 : reversedBursts.nodes.messages());
  }

  // ---- its end ----

  /// Refuses every later push.
  ///
  /// @return what was in the queue, urgent first, oldest first, linked by [#after]; bursts as they
  ///   are, to be abandoned
  public @Nullable Node close() {
    Node bottom = backlog == null ? null : backlog.bottom;
    Node first = null;
    Node last = null;
    for (Node lane :
        new Node[] {
          urgentBacklog == null ? null : urgentBacklog.clear(),
          reversed((Node) URGENT.getAndSet(this, CLOSED), null),
          backlog == null ? null : backlog.clear(),
          reversedBursts == null ? null : reversedBursts.clear(),
          reversed((Node) ORDINARY.getAndSet(this, CLOSED), bottom),
          dropOldest == null ? null : dropOldest.close()
        }) {
      if (lane == null) {
        continue;
      }
      if (last == null) {
        first = lane;
      } else {
        last.next = lane;
      }
      last = lane;
      while (last.next != null) {
        last = last.next;
      }
    }
    REVERSED_COUNT.setRelease(this, 0);
    return first;
  }

  /// The node behind one that [#take] or [#close] has returned.
  public static @Nullable Node after(Node node) {
    return node.next;
  }

  /// Puts a node that is in no queue before one that [#take] has returned.
  public static void putBefore(Node node, @Nullable Node rest) {
    node.next = rest;
  }

  /// Leaves out the node behind one that [#take] has returned.
  public static void skipAfter(Node node) {
    node.next = Objects.requireNonNull(node.next).next;
  }

  private Backlog urgentBacklog() {
    if (urgentBacklog == null) {
      urgentBacklog = new Backlog();
    }
    return urgentBacklog;
  }

  private Backlog backlog() {
    if (backlog == null) {
      backlog = new Backlog();
    }
    return backlog;
  }

  private ReversedBursts reversedBursts() {
    if (reversedBursts == null) {
      reversedBursts = new ReversedBursts();
    }
    return reversedBursts;
  }

  /// Where what comes off the lane is put, behind the rest.
  private Backlog reversalTarget() {
    return isBounded() ? backlog() : reversedBursts().nodes;
  }

  private static @Nullable Node joined(@Nullable Node some, @Nullable Node others) {
    if (some == null || others == null) {
      return some == null ? others : some;
    }
    Node last = some;
    while (last.next != null) {
      last = last.next;
    }
    last.next = others;
    return some;
  }

  /// Turns a stack round, down to what it stands on.
  private static @Nullable Node reversed(@Nullable Node newest, @Nullable Node bottom) {
    Node oldest = null;
    while (newest != null && newest != bottom) {
      Node node = newest;
      newest = node.next;
      node.next = oldest;
      oldest = node;
    }
    return oldest;
  }

  private int reversedCountAcquire() {
    return (int) REVERSED_COUNT.getAcquire(this);
  }
}
