// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import dev.heddle.process.scheduler.Burst.ReversedBursts;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The events of one task that it has not taken yet, from any number of producers: urgent events
/// first, then the ordinary ones in the order of their arrival. The number of ordinary messages may
/// be bounded.
public sealed class EventQueue permits SimulatedQueue {
  /*
   * Two lanes, each a Treiber stack, newest node first. The consumer detaches a whole stack with
   * one CAS and reverses it. A node of the ordinary lane stores the number of messages in its stack
   * up to itself, so the length of the lane costs nothing to know. `reversedCount` adds the
   * messages that the consumer has reversed and not yet delivered.
   *
   * States of a lane.  OPEN  push()   OPEN    any thread: CAS
   *                    OPEN  take     OPEN    consumer: CAS to empty
   *                    OPEN  close()  CLOSED  consumer: exchange with a sentinel, final
   *
   * In a queue that drops the oldest message when it is full, the ordinary lane is a
   * DropOldestLane.
   *
   * Uncounted nodes. Some nodes have no bound, but must neither overtake the messages around them
   * nor be overtaken: the exit of a process and its last messages, a reply and the messages around
   * it. They go to the ordinary lane and are not counted. Each node says whether it counts, and
   * whether its stack holds uncounted nodes below it. If there are none, the newest node alone
   * tells the consumer how many nodes it takes.
   *
   * Results first. A consumer that waits for command results only gets the results before anything
   * else: it removes them from the middle of the lane.
   *
   * Two ways to consume. take() delivers nodes, which have then left the queue. Or the consumer
   * peeks at one node after the other and removes those that it wants; the others stay and still
   * count. Both keep what was reversed and is not yet delivered in a Backlog.
   *
   * Threads. push and length: any. Everything else: one consumer at a time; a fence (Task's word)
   * lies between two consumers.
   *
   * I1. Within a lane, the nodes of one producer leave in the order of its pushes. [EventQueueTest,
   *     EventQueueLincheckTest]
   * I2. An accepted node is taken, or returned by close(). [EventQueueTest, EventQueueStress]
   * I3. A bounded lane refuses a node only when it is full, counting what was reversed and not yet
   *     delivered. While the consumer moves nodes from the stack to the backlog, a reader cannot
   *     know in which of the two they are. For these few instructions `reversedCount` is negative:
   *     minus the sum of their number and the number already in the backlog. A producer whose
   *     answer depends on it spins. Otherwise a mailbox that is half full would refuse messages
   *     while its consumer is descheduled there. Mutant: EventQueueStress.CountsTwice.
   *     [EventQueueStress]
   * I4. The lane never holds more than its bound. The danger is ABA: a producer reads an empty
   *     stack, is descheduled before its CAS, and finds the stack empty again although it was
   *     filled and reversed meanwhile. So the consumer leaves a stack empty only if one more node
   *     fits. That is so if the take that reverses the stack delivers at least one node, which has
   *     left with the CAS; therefore `reversedCount` is written once after the CAS, already reduced
   *     by the nodes being delivered. It is also so if the backlog then holds less than the bound.
   *     Otherwise the consumer leaves a new Mark at the bottom of the stack. A stack that is not
   *     empty is identified by its newest node, which is pushed once. That node can be the newest
   *     again only after results were pushed onto it and taken, and these do not count. If the
   *     stack holds uncounted nodes, a take delivers all of it, or reverses it first as peekNext()
   *     does. Several nodes are pushed at once onto a stack that is not empty; onto an empty one,
   *     where there is room for one more only, one. An unbounded queue has no such danger. Mutants:
   *     EventQueueStress.HandsOutLater, NoMark, RowOntoAnEmptyStack. [EventQueueStress,
   *     EventQueueLincheckTest]
   * I5. An uncounted node of the ordinary lane is delivered after everything that its producer
   *     pushed before it, and before everything that it pushes later. Mutants:
   *     EventQueueStress.LooksTooSoon, LooksTooLate. [EventQueueStress, EventQueueModelTest]
   *
   * Memory order. Push and take are CASes on the head (volatile), so the consumer sees what the
   * producer wrote before its push. `reversedCount` is published by the same CAS and lowered by
   * release stores. A producer reads the head, `reversedCount`, and, before it reports a full lane,
   * the head again: if the head has not moved, both values belong to the same moment.
   *
   * Cost. One CAS for a push, or for several in a row; one CAS for everything that has arrived, one
   * walk over the nodes of a take. The consumer writes to the cache line that producers CAS twice a
   * take, not once a node; a consumer that removes single nodes writes to it when it calls
   * publish(). A producer that is descheduled between its steps delays no other thread: a node that
   * is not linked yet is not in the queue (trap-39). A Backlog is created only when it is needed.
   *
   * Bursts. What comes off the lane of an unbounded queue is kept in Burst.ReversedBursts, bursts
   * unopened. A consumer that peeks first moves all of that to `backlog`, each item as a node of
   * its own. A consumer may switch between the two ways: `backlog` comes first in both.
   *
   * Rejected. Claimed slots or links (Vyukov's queue, the linked and array queues of JCTools): the
   * consumer meets gaps and must spin or return later, and an idle task would keep a chunk or a
   * stub. One lane: a control event would wait behind a million messages. Uncounted nodes in the
   * urgent lane, which the consumer would put behind the messages: it cannot know which messages
   * came later. Signals that carry the number of messages sent before: a count for each pair of
   * sender and receiver.
   *
   * Sources. P9; R. K. Treiber, 1986; trap-39.
   */

  public enum Push {
    /// the node will be taken, or returned by [#close]
    ACCEPTED,
    /// the bound is reached
    FULL,
    /// the queue is closed
    CLOSED
  }

  private static final class Sentinel extends Node {}

  /// The bottom of a stack that would be empty otherwise, while the backlog holds the bound: I4.
  private static final class Mark extends Node {}

  private static final int URGENT_ONE = ~0;
  private static final int RESULT = ~1;
  private static final int MOST = (1 << 30) - 2; // messages; so a node can count one more

  private static final Node CLOSED = new Sentinel();
  private static final VarHandle URGENT = VarHandles.find(lookup(), "urgent", Node.class);
  private static final VarHandle ORDINARY = VarHandles.find(lookup(), "ordinary", Node.class);
  private static final VarHandle REVERSED_COUNT =
      VarHandles.find(lookup(), "reversedCount", int.class);
  private static final VarHandle COUNTED = VarHandles.find(lookup(), "counted", int.class);

  private final int bound;
  private final @Nullable DropOldestLane dropOldest; // the ordinary lane, when it drops the oldest

  // any thread, CAS
  @SuppressWarnings("FieldMayBeFinal") // through URGENT
  private volatile @Nullable Node urgent;

  @SuppressWarnings("FieldMayBeFinal") // through ORDINARY
  private volatile @Nullable Node ordinary;

  // the consumer writes, producers read
  @SuppressWarnings("unused") // through REVERSED_COUNT
  private int reversedCount;

  // any thread, adds: items in ended bursts, except one for each burst, which counts as the node
  @SuppressWarnings("unused") // through COUNTED
  private volatile int counted;

  // the consumer: reversed and not yet delivered; created when needed
  private @Nullable Backlog urgentBacklog;
  private @Nullable Backlog backlog;
  private @Nullable ReversedBursts reversedBursts; // behind `backlog`; unbounded queues only

  /// An open, empty queue.
  ///
  /// @param bound of the ordinary lane, at least 1; reduced to the 2^30 that can be counted
  public EventQueue(int bound) {
    this(bound, false);
  }

  /// An open, empty queue.
  ///
  /// @param bound of the ordinary lane, at least 1
  /// @param dropsOldest whether a push to a full lane drops its oldest message
  public EventQueue(int bound, boolean dropsOldest) {
    if (bound < 1) {
      throw new IllegalArgumentException("a queue holds at least one: " + bound);
    }
    this.bound = Math.min(bound, MOST);
    this.dropOldest = dropsOldest ? new DropOldestLane(bound) : null;
  }

  // ---- producers ----

  /// Appends a node to the urgent lane.
  public Push pushUrgent(Node node) {
    return pushUrgent(node, URGENT_ONE);
  }

  /// Appends an uncounted node to the ordinary lane, whatever the bound.
  public Push pushInOrder(Node node) {
    return pushInOrder(node, 0);
  }

  /// Appends the result of a command of the consumer.
  ///
  /// @param inOrder whether it goes to the ordinary lane; a consumer that waits for command results
  ///   only gets it first all the same
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
      return dropOldest.pushInOrder(node) ? Push.ACCEPTED : Push.CLOSED;
    }
    while (true) {
      Node seen = ordinary;
      if (seen == CLOSED) {
        return Push.CLOSED;
      }
      linkUncounted(node, seen, result);
      if (ORDINARY.compareAndSet(this, seen, node)) {
        return Push.ACCEPTED;
      }
    }
  }

  /// Appends a message to the ordinary lane.
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
        Thread.onSpinWait(); // no yield: in a coroutine it would run others
      }
    }
  }

  /// Appends the first of several messages to the ordinary lane, with one CAS: as many as there is
  /// space for, but one alone to the empty stack of a bounded queue (I4). Nothing comes between
  /// them.
  ///
  /// @param nodes in their order, from `from` up to `end`; at least one
  /// @return how many; 0 when a [#push] of the first may be refused. The caller pushes that alone
  ///   and learns why.
  public int pushSome(Node[] nodes, int from, int end) {
    if (dropOldest != null) {
      return 0;
    }
    while (true) {
      Node seen = ordinary;
      if (seen == CLOSED) {
        return 0;
      }
      int turned = reversedCountAcquire();
      int space = bound - Math.abs(turned) - (seen == null ? 0 : seen.counting());
      if (space <= 0) {
        return 0; // push() waits where this is not certain
      }
      int most = seen == null && isBounded() ? 1 : space;
      int until = end - from > most ? from + most : end;
      Node below = seen;
      for (int i = from; i < until; i++) {
        link(nodes[i], below);
        below = nodes[i];
      }
      if (ORDINARY.compareAndSet(this, seen, below)) {
        return until - from;
      }
    }
  }

  /// Appends a message to the ordinary lane, which drops its oldest message when it is full.
  ///
  /// @param displaced is called with the dropped message
  /// @throws IllegalStateException when this queue does not drop the oldest
  public Push push(Node node, Consumer<Node> displaced) {
    if (dropOldest == null) {
      throw new IllegalStateException("this queue does not drop its oldest message");
    }
    return dropOldest.push(node, displaced) ? Push.ACCEPTED : Push.CLOSED;
  }

  /// Whether a push may be refused or drop another node. Only an unbounded queue may be given a
  /// [Burst].
  public boolean isBounded() {
    return bound != MOST || dropOldest != null;
  }

  /// Adds `items`, which may be negative, to the count of items in ended bursts.
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

  private static void linkUncounted(Node node, @Nullable Node seen, int result) {
    node.next = seen;
    node.depth = ~((seen == null ? 0 : seen.counting() << 1) | result);
  }

  /// The number of messages in the ordinary lane, as of a moment ago.
  public int length() {
    return length(0);
  }

  /// The same.
  ///
  /// @param inBursts items in bursts that have not ended, without one for each burst
  public int length(int inBursts) {
    if (dropOldest != null) {
      return dropOldest.size();
    }
    Node seen;
    int held;
    do {
      seen = ordinary;
      held = reversedCountAcquire();
    } while (ordinary != seen); // otherwise nodes reversed meanwhile would count twice
    if (seen == CLOSED) {
      return 0;
    }
    int stacked = seen == null ? 0 : seen.counting();
    int nodes = held < 0 ? Math.max(stacked, -held) : stacked + held;
    return isBounded() ? nodes : Math.max(0, nodes + counted + inBursts);
  }

  // ---- the consumer: take ----

  /// As [#take(int, boolean)], without precedence of results.
  public @Nullable Node take(int most) {
    return take(most, false);
  }

  /// Takes nodes, urgent ones first, each lane oldest first. The next take may deliver nodes that
  /// arrive meanwhile.
  ///
  /// @param most nodes, at least 1; a node with items of a [Burst] counts once for each item
  /// @param resultsFirst whether results come before all ordinary nodes
  /// @return the first, linked by [#after], or null
  public @Nullable Node take(int most, boolean resultsFirst) {
    Node first = urgent == null ? null : reversed((Node) URGENT.getAndSet(this, null), null);
    if (resultsFirst) {
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

  /// Reverses the stack and takes up to `most`. The backlog is empty before.
  private @Nullable Node reverseAndTake(int most) {
    Node bottom = backlog == null ? null : backlog.bottom;
    Node seen;
    for (boolean again = false;
        (seen = ordinary) != null && seen != bottom;
        again = true) { // no second walk: producers could prolong the loop for ever
      if (seen.hasUncounted() && (again || isLongerThan(most, seen, bottom))) {
        reverseArrivals();
        Node first = backlog().handOut(most);
        publish();
        return first;
      }
      int all = seen.counting();
      Backlog to = all > most ? backlog() : backlog; // before the CAS: it may lack memory
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

  /// Reverses the stack and appends it to the backlog.
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

  // ---- the same, in an unbounded queue ----

  private @Nullable Node reverseAndPick(int most) {
    if (ordinary != null && (reversedBursts == null || reversedBursts.nodes.isEmpty())) {
      reverseArrivals(); // before any burst is read: ReversedBursts
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

  /// Reverses the stack and moves everything to `backlog`, each item of a burst as a node.
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

  public boolean isEmpty() {
    return urgent == null && (urgentBacklog == null || urgentBacklog.isEmpty()) && !hasOrdinary();
  }

  /// Whether the ordinary lane has a node, counted or not.
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

  /// Whether there is a node that was pushed by [#pushUrgent], [#pushInOrder] or [#pushResult].
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

  // ---- the consumer: peek and remove ----

  /// Whether nodes that may be results have arrived since the last [#takeResults].
  public boolean hasUrgentNews() {
    if (urgent != null) {
      return true;
    }
    Node newest = ordinary;
    return dropOldest != null ? dropOldest.results() > 0 : newest != null && newest.hasUncounted();
  }

  /// Takes the results that have arrived, and leaves everything else for [#peekNext].
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
      Backlog others = only ? urgentBacklog : urgentBacklog(); // before the CAS: it may lack memory
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

  /// Takes all results out of the ordinary lane.
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
      if (ORDINARY.compareAndSet(this, newest, bottom)) { // only uncounted nodes: I4
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

  /// Lets [#peekNext] begin again at the oldest node.
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

  /// The first node that was not skipped since the last [#rewind]; urgent ones first.
  public @Nullable Node peekNext() {
    Node urgentOne = urgentBacklog == null ? null : urgentBacklog.peek();
    if (urgentOne != null) {
      return urgentOne;
    }
    if (dropOldest != null) {
      return dropOldest.peek();
    }
    Node first = backlog == null ? null : backlog.peek();
    if (first == null && (ordinary != (backlog == null ? null : backlog.bottom) || hasReversed())) {
      if (isBounded()) {
        reverseArrivals();
      } else {
        reverseArrivalsSingly();
      }
      first = backlog().peek();
    }
    return first;
  }

  /// Whether [#peekNext] may find a node.
  public boolean hasNews() {
    return urgent != null
        || (urgentBacklog != null && urgentBacklog.peek() != null)
        || (dropOldest != null
            ? dropOldest.peek() != null
            : backlog == null
                ? ordinary != null
                : backlog.peek() != null || ordinary != backlog.bottom)
        || hasReversed();
  }

  /// Skips the node that [#peekNext] has returned, until the next [#rewind].
  public void skip(Node peeked) {
    if (urgentBacklog != null && urgentBacklog.peek() == peeked) {
      urgentBacklog.skip();
    } else if (dropOldest != null) {
      dropOldest.skip(peeked);
    } else if (backlog != null && backlog.peek() == peeked) {
      backlog.skip();
    }
  }

  /// Removes the node that [#peekNext] has returned. It counts until [#publish].
  ///
  /// @return false when it is gone: dropped for a later one, or removed meanwhile
  public boolean remove(Node peeked) {
    if (urgentBacklog != null && urgentBacklog.peek() == peeked) {
      urgentBacklog.remove();
      return true;
    }
    if (dropOldest != null) {
      return dropOldest.remove(peeked);
    }
    if (backlog != null && backlog.peek() == peeked) {
      backlog.remove();
      return true;
    }
    return false;
  }

  /// Stops counting the nodes that were removed.
  public void publish() {
    REVERSED_COUNT.setRelease(this, messagesLeft());
  }

  private int messagesLeft() {
    return (backlog == null ? 0 : backlog.messages())
        + (reversedBursts == null ? 0 : reversedBursts.nodes.messages());
  }

  // ---- close ----

  /// Refuses every later push.
  ///
  /// @return the nodes of the queue, urgent first, oldest first, linked by [#after]; the caller
  ///   must abandon the bursts among them
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

  // ---- a simulation ----

  /// Lets `order` put the nodes of the ordinary lane that were not reversed yet, oldest first, into
  /// another order. **Thread** the consumer.
  final void reorderArrivals(Consumer<List<Node>> order) {
    Node bottom = backlog == null ? null : backlog.bottom;
    Node newest;
    Node top;
    do {
      newest = ordinary;
      if (newest == null || newest == CLOSED || newest == bottom) {
        return;
      }
      List<Node> arrivals = new ArrayList<>();
      for (Node node = newest; node != null && node != bottom; node = node.next) {
        arrivals.addFirst(node);
      }
      order.accept(arrivals);
      top = bottom;
      for (Node node : arrivals) {
        if (node.counts()) {
          link(node, top);
        } else {
          linkUncounted(node, top, node.isResult() ? 1 : 0);
        }
        top = node;
      }
    } while (!ORDINARY.compareAndSet(this, newest, top));
  }

  // ---- nodes ----

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

  /// The backlog to which nodes of the ordinary lane are appended.
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

  /// Reverses a stack, down to its bottom.
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
