// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What has come for one task, from any thread, and has not been taken by it yet: urgent things
/// first, without bound; then the others, with one. Some that have no bound either stand in order
/// with those others.
public final class EventQueue {
  /*
   * Two lanes, each a Treiber stack that the consumer empties with one CAS and turns round. A node knows how deep it lies in its stack,
   * so the length of a lane costs nothing; what the consumer has turned round and not yet handed out it adds in `held`.
   *
   * States of a lane.  OPEN  push()   OPEN    any thread: CAS
   *                    OPEN  take     OPEN    consumer: CAS to empty
   *                    OPEN  close()  CLOSED  consumer: exchange with a sentinel, for ever
   *
   * In a queue that drops the oldest for what comes, the ordinary lane is a LatestLane instead.
   *
   * In order. What has no bound and is not to overtake (the end of a process is not to overtake its last messages) comes by the urgent
   * lane, so producers have one protocol. The consumer puts it behind all that lies in the ordinary lane when it finds it: its producer has
   * pushed before it whatever it must not overtake. So the urgent lane is emptied first, and the ordinary one looked at after that.
   *
   * Two ways to consume. take() hands out, and what is handed out has left the queue. Or the consumer looks at one node after the other, and takes
   * out those that it wants: the others stay, and count. What was turned round lies in a Backlog in both.
   *
   * Threads. push and length: any. The rest: one consumer at a time, handed over with a fence (Task's word).
   *
   * I1. Within a lane, nodes of one producer leave in the order of its pushes. [EventQueueTest, EventQueueLincheckTest]
   * I2. A node that was accepted is taken, or returned by close(). [EventQueueTest, EventQueueStress]
   * I3. A lane with a bound refuses a node only when it is full, counting what was turned round and is left. While the
   *     consumer turns the nodes of a stack round, `held` is below zero by their number and that of those left before: they are in the stack or
   *     out of it, and a producer whose answer depends on that waits for the few instructions until it is known. Else a mailbox that is half
   *     full would refuse whatever comes while its consumer is descheduled there. Mutant: EventQueueStress.CountsTwice. [EventQueueStress]
   * I4. It never holds more than its bound. A producer that is descheduled between its look at an empty stack and its CAS may find the
   *     stack empty again, but filled and turned round meanwhile. So the stack is left empty only where one more fits: where the take that
   *     turns it round hands out one at the least, which has left with the CAS (hence one store of `held` after that, not one of all and
   *     another of the rest), or less than the bound is held after it. Else the stack stands on a Mark from then on, which is another each
   *     time. A stack that is not empty is known by its newest node, which comes once. Mutants: EventQueueStress.HandsOutLater, NoMark.
   *     [EventQueueStress, EventQueueLincheckTest]
   * I5. What stands in order is handed out behind all that its producer had pushed before. Mutant: EventQueueStress.LooksTooSoon.
   *     [EventQueueStress, EventQueueTest]
   *
   * Memory order. Push and take are CASes on the head (volatile): what the producer wrote before is seen by the consumer. `held` is
   * published by the same CAS, and lowered by release stores. A producer reads head, `held`, and, before it says that the lane is full, the head
   * again: if that has not moved, `held` was of the same moment. I5: the exchange of the urgent head sees the push of the node, and with it
   * the pushes before; the ordinary head is read after that.
   *
   * Cost. A CAS a push, a CAS for all that has come, a walk for a take: the consumer writes to the line that producers CAS twice a take,
   * not with each node; one that takes out node by node does so when it says that it has (publish). A producer that is descheduled in the
   * middle delays nobody: a node that is not linked is not there (trap 39). A Backlog is made for those that need one.
   *
   * Bursts. Where there is no bound, a node may be a Burst, to which its producer adds while it lies in the lane, and whose items are handed out
   * in slices. What comes off the lane is then kept as it is, in TurnedBursts, and so is what stands in order: behind the bursts that its
   * producer has ended before. A consumer that looks at one after the other moves all of that to `left` first, each item as a node of its
   * own; it may become one that is handed out, and the other way round: `left` comes first in both.
   *
   * Rejected. Claimed slots or links (Vyukov's queue, JCTools' linked and array queues): the consumer meets gaps and must spin or come back;
   * and an idle task would keep a chunk or a stub. One lane: a control event behind a million messages. What stands in order in the ordinary
   * lane: producers would have to tell what counts from what does not, in each push. Numbers of messages seen before, in each signal: a
   * count for each sender and receiver.
   *
   * Sources. P9; R. K. Treiber, 1986; traps 39, 58.
   */

  /// A link of the queue, made by who pushes.
  public abstract static class Node {
    // the producer until the CAS, then the consumer
    @Nullable Node next;

    // written before the CAS, constant after: how many lie in the stack of the ordinary lane with
    // it; of what has come by the urgent lane, one of the constants below 0
    int depth;

    /// Not in a queue.
    protected Node() {}

    /// Whether it counts to the bound.
    final boolean counts() {
      return depth >= 0;
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

  private static final int URGENT_ONE = -1;
  private static final int IN_ORDER = -2; // with the ordinary ones
  private static final int RESULT = -3; // urgent
  private static final int RESULT_IN_ORDER = -4; // but for a consumer that is deaf to the others

  private static final Node CLOSED = new Sentinel();
  private static final VarHandle URGENT;
  private static final VarHandle ORDINARY;
  private static final VarHandle HELD;
  private static final VarHandle COUNTED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      URGENT = lookup.findVarHandle(EventQueue.class, "urgent", Node.class);
      ORDINARY = lookup.findVarHandle(EventQueue.class, "ordinary", Node.class);
      HELD = lookup.findVarHandle(EventQueue.class, "held", int.class);
      COUNTED = lookup.findVarHandle(EventQueue.class, "counted", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int bound;
  private final @Nullable LatestLane latest; // the ordinary lane, when the oldest gives way

  // any thread, CAS
  @SuppressWarnings("FieldMayBeFinal") // through URGENT
  private volatile @Nullable Node urgent;

  @SuppressWarnings("FieldMayBeFinal") // through ORDINARY
  private volatile @Nullable Node ordinary;

  // the consumer writes, producers read
  @SuppressWarnings("unused") // through HELD
  private int held;

  // any thread, adds: what is in bursts that have ended, without the one of each that is a node
  @SuppressWarnings("unused") // through COUNTED
  private volatile int counted;

  // the consumer: turned round and left, where there has been such
  private @Nullable Backlog urgentLeft;
  private @Nullable Backlog left;
  private @Nullable TurnedBursts turned; // behind `left`, where there is no bound

  /// An open, empty queue.
  ///
  /// @param bound of the ordinary lane, at least 1
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
    this.bound = bound;
    this.latest = dropsOldest ? new LatestLane(bound) : null;
  }

  // ---- producers ----

  /// Puts a node behind the others of its kind that are urgent.
  public Push pushUrgent(Node node) {
    return pushUrgent(node, URGENT_ONE);
  }

  /// Puts a node behind all that the caller has put before it, whatever the bound.
  public Push pushInOrder(Node node) {
    return pushUrgent(node, IN_ORDER);
  }

  /// Puts the result of something that the consumer has asked for.
  ///
  /// @param inOrder whether it stands behind the ordinary nodes, for a consumer that takes those
  public Push pushResult(Node node, boolean inOrder) {
    return pushUrgent(node, inOrder ? RESULT_IN_ORDER : RESULT);
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

  /// Puts a node behind the others.
  public Push push(Node node) {
    while (true) {
      Node seen = ordinary;
      if (seen == CLOSED) {
        return Push.CLOSED;
      }
      link(node, seen);
      int turned = heldAcquire();
      if (node.depth + Math.abs(turned) <= bound) {
        if (ORDINARY.compareAndSet(this, seen, node)) {
          return Push.ACCEPTED;
        }
      } else if (node.depth > bound || (turned >= 0 && ordinary == seen)) {
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
    if (latest == null) {
      throw new IllegalStateException("nothing gives way in this queue");
    }
    return latest.push(node, displaced);
  }

  /// Whether a node may find it full, or displace another. Only where there is no bound it may be
  /// given a [Burst].
  public boolean isBounded() {
    return bound != Integer.MAX_VALUE || latest != null;
  }

  /// So many more items, or fewer, are in bursts that have ended.
  void count(int items) {
    if (items != 0) {
      var _ = (int) COUNTED.getAndAdd(this, items);
    }
  }

  private static void link(Node node, @Nullable Node seen) {
    node.next = seen;
    node.depth = seen == null ? 1 : seen.depth + 1;
  }

  /// How many ordinary nodes there are, as of a moment ago.
  public int length() {
    return length(0);
  }

  /// The same, with so many in bursts that have not ended, without the one of each that is a node.
  public int length(int inBursts) {
    if (latest != null) {
      return latest.size();
    }
    Node seen;
    int held;
    do {
      seen = ordinary;
      held = heldAcquire();
    } while (ordinary != seen); // else what was turned round meanwhile would count twice
    if (seen == CLOSED) {
      return 0;
    }
    int stacked = seen == null ? 0 : seen.depth;
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
  /// @param deaf whether results come first, whatever they stand behind
  /// @return the first, linked by [#after], or null
  public @Nullable Node take(int most, boolean deaf) {
    Node first = urgent == null ? null : sorted(deaf);
    if (urgentLeft != null && !urgentLeft.isEmpty()) {
      urgentLeft.append(first);
      first = urgentLeft.handOut(most);
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
      urgentLeft().append(last.next);
    }
    last.next = room == 0 ? null : takeOrdinary(room);
    return first;
  }

  /// What the urgent lane holds, but for what it puts in order.
  private @Nullable Node sorted(boolean deaf) {
    Node first = reversed((Node) URGENT.getAndSet(this, null), null);
    boolean alone = !hasOrdinary(); // not before: what was pushed before one of those is there now
    Node last = null;
    for (Node node = first;
        node != null && (alone || !standsInOrder(node, deaf));
        node = node.next) {
      last = node;
    }
    Node rest = last == null ? first : last.next;
    if (rest == null) {
      return first;
    }
    Backlog urgentOnes = new Backlog();
    Backlog inOrder = new Backlog();
    for (Node node = rest, next; node != null; node = next) {
      next = node.next;
      node.next = null;
      (standsInOrder(node, deaf) ? inOrder : urgentOnes).append(node);
    }
    putInOrder(inOrder);
    if (last == null) {
      return urgentOnes.first();
    }
    last.next = urgentOnes.first();
    return first;
  }

  private static boolean standsInOrder(Node node, boolean deaf) {
    return node.depth == IN_ORDER || (node.depth == RESULT_IN_ORDER && !deaf);
  }

  private void putInOrder(Backlog some) {
    if (latest != null) {
      latest.putInOrder(some);
      return;
    }
    turnIn();
    turnsInto().append(some.first());
  }

  private @Nullable Node takeOrdinary(int most) {
    if (latest != null) {
      return latest.take(most);
    }
    if (left == null || left.isEmpty()) {
      return isBounded() ? turnAndHandOut(most) : turnAndPick(most);
    }
    Node first = left.handOut(most);
    publish();
    return first;
  }

  /// What has come, but for what is behind the `most` first ones. Nothing is held before.
  private @Nullable Node turnAndHandOut(int most) {
    Node bottom = left == null ? null : left.bottom;
    Node seen;
    while ((seen = ordinary) != null && seen != bottom) {
      Backlog to = seen.depth > most ? left() : left; // before: there may be no memory for one
      HELD.setRelease(this, -seen.depth);
      if (ORDINARY.compareAndSet(this, seen, null)) {
        HELD.setRelease(this, Math.max(0, seen.depth - most));
        Node first = reversed(seen, bottom);
        if (to == null) {
          return first;
        }
        to.bottom = null;
        if (seen.depth <= most) {
          return first;
        }
        to.append(first, seen, seen.depth);
        return to.handOut(most);
      }
    }
    return null;
  }

  /// Turns round what has come, and leaves it behind what was left before.
  private void turnIn() {
    Backlog to = turnsInto();
    Node seen;
    while ((seen = ordinary) != null && seen != to.bottom) {
      int all = messagesLeft() + seen.depth;
      Node under = all >= bound ? new Mark() : null;
      HELD.setRelease(this, -all);
      if (ORDINARY.compareAndSet(this, seen, under)) {
        HELD.setRelease(this, all);
        to.append(reversed(seen, to.bottom), seen, seen.depth);
        to.bottom = under;
        return;
      }
    }
  }

  // ---- the same, where there is no bound ----

  private @Nullable Node turnAndPick(int most) {
    if (ordinary != null && (turned == null || turned.nodes.isEmpty())) {
      turnIn(); // before any look into a burst
    }
    if (turned == null) {
      return null;
    }
    try {
      return turned.pick(most);
    } finally {
      publish();
      count(turned.settled());
    }
  }

  /// Turns round what has come, and leaves all of it one by one.
  private void turnInOneByOne() {
    Backlog to = left();
    turnIn();
    TurnedBursts from = turned();
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
    return urgent == null && (urgentLeft == null || urgentLeft.isEmpty()) && !hasOrdinary();
  }

  /// Whether there is something in the ordinary lane, or in order with that.
  private boolean hasOrdinary() {
    if (latest != null) {
      return !latest.isEmpty();
    }
    return (left == null ? ordinary != null : !left.isEmpty() || ordinary != left.bottom)
        || hasTurned();
  }

  private boolean hasTurned() {
    return turned != null && turned.hasMore();
  }

  /// Whether there is a node that has come by [#pushUrgent], [#pushInOrder] or [#pushResult].
  public boolean hasUrgent() {
    return hasUrgentNews()
        || (urgentLeft != null && !urgentLeft.isEmpty())
        || (latest != null ? latest.inOrder() : left == null ? 0 : left.inOrder()) > 0
        || (turned != null && turned.nodes.inOrder() > 0);
  }

  // ---- the consumer, which looks at one after the other and takes out what it wants ----

  /// Whether such a node has come since the last take.
  public boolean hasUrgentNews() {
    return urgent != null;
  }

  /// Takes the results that have come. All else is left for [#look].
  ///
  /// @return the first, linked by [#after], or null
  public @Nullable Node takeResults() {
    if (urgent == null) {
      return null;
    }
    Node first = reversed((Node) URGENT.getAndSet(this, null), null);
    Backlog results = new Backlog();
    Backlog inOrder = new Backlog();
    for (Node node = first, next; node != null; node = next) {
      next = node.next;
      node.next = null;
      switch (node.depth) {
        case IN_ORDER -> inOrder.append(node);
        case URGENT_ONE -> urgentLeft().append(node);
        default -> results.append(node);
      }
    }
    if (!inOrder.isEmpty()) {
      putInOrder(inOrder);
    }
    return results.first();
  }

  /// Begins at the oldest.
  public void rewind() {
    if (urgentLeft != null) {
      urgentLeft.rewind();
    }
    if (latest != null) {
      latest.rewind();
    } else if (left != null) {
      left.rewind();
    }
  }

  /// The first node that was not left since the last [#rewind]; the urgent ones first.
  public @Nullable Node look() {
    Node urgentOne = urgentLeft == null ? null : urgentLeft.look();
    if (urgentOne != null) {
      return urgentOne;
    }
    if (latest != null) {
      return latest.look();
    }
    Node first = left == null ? null : left.look();
    if (first == null && (ordinary != (left == null ? null : left.bottom) || hasTurned())) {
      if (isBounded()) {
        turnIn();
      } else {
        turnInOneByOne();
      }
      first = left().look();
    }
    return first;
  }

  /// Whether a look may find something.
  public boolean hasNews() {
    return urgent != null
        || (urgentLeft != null && urgentLeft.look() != null)
        || (latest != null
            ? latest.look() != null
            : left == null ? ordinary != null : left.look() != null || ordinary != left.bottom)
        || hasTurned();
  }

  /// Leaves the node that [#look] has returned, for a look after the next [#rewind].
  public void leave(Node looked) {
    if (urgentLeft != null && urgentLeft.look() == looked) {
      urgentLeft.leave();
    } else if (latest != null) {
      latest.leave(looked);
    } else if (left != null && left.look() == looked) {
      left.leave();
    }
  }

  /// Takes out the node that [#look] has returned. It counts until [#publish].
  ///
  /// @return false when it is gone: it gave way to another, or was taken out meanwhile
  public boolean takeOut(Node looked) {
    if (urgentLeft != null && urgentLeft.look() == looked) {
      urgentLeft.takeOut();
      return true;
    }
    if (latest != null) {
      return latest.takeOut(looked);
    }
    if (left != null && left.look() == looked) {
      left.takeOut();
      return true;
    }
    return false;
  }

  /// What was taken out counts no longer.
  public void publish() {
    HELD.setRelease(this, messagesLeft());
  }

  private int messagesLeft() {
    return (left == null ? 0 : left.messages()) + (turned == null ? 0 : turned.nodes.messages());
  }

  // ---- its end ----

  /// Refuses every later push.
  ///
  /// @return what was in the queue, urgent first, oldest first, linked by [#after]; bursts as they
  ///   are, to be abandoned
  public @Nullable Node close() {
    Node bottom = left == null ? null : left.bottom;
    Node first = null;
    Node last = null;
    for (Node lane :
        new Node[] {
          urgentLeft == null ? null : urgentLeft.clear(),
          reversed((Node) URGENT.getAndSet(this, CLOSED), null),
          left == null ? null : left.clear(),
          turned == null ? null : turned.clear(),
          reversed((Node) ORDINARY.getAndSet(this, CLOSED), bottom),
          latest == null ? null : latest.close()
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
    HELD.setRelease(this, 0);
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

  private Backlog urgentLeft() {
    if (urgentLeft == null) {
      urgentLeft = new Backlog();
    }
    return urgentLeft;
  }

  private Backlog left() {
    if (left == null) {
      left = new Backlog();
    }
    return left;
  }

  private TurnedBursts turned() {
    if (turned == null) {
      turned = new TurnedBursts();
    }
    return turned;
  }

  /// Where what comes off the lane is put, behind the rest.
  private Backlog turnsInto() {
    return isBounded() ? left() : turned().nodes;
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

  private int heldAcquire() {
    return (int) HELD.getAcquire(this);
  }
}
