// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What has come for one task, from any thread, and has not been taken by it yet: urgent things
/// first, without bound; then the others, with one.
public final class EventQueue {
  /*
   * Two lanes, each a Treiber stack that the consumer empties with one CAS and turns round. A node knows how deep it lies in its stack,
   * so the length of a lane costs nothing; what the consumer has taken and not yet handed out it adds in `held`.
   *
   * States of a lane.  OPEN  push()   OPEN    any thread: CAS
   *                    OPEN  take     OPEN    consumer: CAS to empty
   *                    OPEN  close()  CLOSED  consumer: exchange with a sentinel, for ever
   *
   * In a queue that drops the oldest for what comes, the ordinary lane is a LatestLane instead.
   *
   * Threads. push and length: any. The rest: one consumer at a time, handed over with a fence (Task's word).
   *
   * I1. Within a lane, nodes of one producer leave in the order of its pushes. [EventQueueTest, EventQueueLincheckTest]
   * I2. A node that was accepted is taken, or returned by close(). [EventQueueTest, EventQueueStress]
   * I3. A lane with a bound refuses a node only when it is full, counting what was turned round and is left for a later take. While the
   *     consumer turns the nodes of a stack round, `held` is their number below zero: they are in the stack or out of it, and a producer
   *     whose answer depends on that waits for the few instructions until it is known. Else a mailbox that is half full would
   *     refuse whatever comes while its consumer is descheduled there. Mutant: EventQueueStress.CountsTwice. [EventQueueStress]
   * I4. It never holds more than its bound. A producer that is descheduled between its look at an empty stack and its CAS may find the
   *     stack empty again, but filled and turned round meanwhile: there is room all the same, since what the take that turned it round
   *     hands out, one at the least, has left with the CAS. Hence one store of `held` after that, not one of all and another of the rest.
   *     A stack that is not empty is known by its newest node, which comes once. Mutant: EventQueueStress.HandsOutLater.
   *     [EventQueueStress, EventQueueLincheckTest]
   *
   * Memory order. Push and take are CASes on the head (volatile): what the producer wrote before is seen by the consumer. `held` is
   * published by the same CAS, and lowered by release stores. A producer reads head, `held`, and, before it says that the lane is full, the head
   * again: if that has not moved, `held` was of the same moment.
   *
   * Cost. A CAS a push, a CAS for all that has come, a walk for a take: the consumer writes to the line that producers CAS twice a take,
   * not with each node. A producer that is descheduled in the middle delays nobody: a node that is not linked is
   * not there (trap 39).
   *
   * Bursts. Where there is no bound, a node may be a Burst, to which its producer adds while it lies in the lane, and whose items are handed out
   * in slices. The consumer keeps those that it has met and that may have more, and takes from them first: what lies behind them was pushed later.
   * It empties the lane before it looks into them, so what was added before something in that was pushed comes before it.
   *
   * Rejected. Claimed slots or links (Vyukov's queue, JCTools' linked and array queues): the consumer meets gaps and must spin or come back;
   * and an idle task would keep a chunk or a stub. One lane: a control event behind a million messages.
   *
   * Sources. P9; R. K. Treiber, 1986; traps 39, 58.
   */

  /// A link of the queue, made by who pushes.
  public abstract static class Node {
    // the producer until the CAS, then the consumer
    @Nullable Node next;

    // written before the CAS, constant after
    int depth;

    /// Not in a queue.
    protected Node() {}
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
  private int held;

  // any thread, adds: what is in bursts that have ended, without the one of each that is a node
  @SuppressWarnings("unused") // through COUNTED
  private volatile int counted;

  // the consumer: bursts that it has reached and that may have more, oldest first
  private @Nullable Burst keptFirst;
  private @Nullable Burst keptLast;

  // the consumer: taken, oldest first
  private @Nullable Node urgentTaken;
  private @Nullable Node ordinaryTaken;

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
    while (true) {
      Node seen = urgent;
      if (seen == CLOSED) {
        return Push.CLOSED;
      }
      link(node, seen);
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
    int turned;
    do {
      seen = ordinary;
      turned = heldAcquire();
    } while (ordinary != seen); // else what was turned round meanwhile would count twice
    int stacked = seen == null ? 0 : seen.depth;
    if (!isBounded()) {
      return Math.max(0, stacked + turned + counted + inBursts);
    }
    return turned < 0 ? Math.max(stacked, -turned) : stacked + turned;
  }

  // ---- the consumer ----

  /// Takes what is there, urgent nodes first, each lane oldest first; what has come meanwhile may
  /// be left for the next take.
  ///
  /// @param most nodes, at least 1; where there is no bound, a node counts as many times as it has
  ///   items out of a [Burst]
  /// @return the first, linked by [#after], or null
  public @Nullable Node take(int most) {
    Node first = urgentTaken;
    if (first == null && urgent != null) {
      first = reversed((Node) URGENT.getAndSet(this, null));
    }
    if (first == null) {
      return latest == null ? takeOrdinary(most) : latest.take(most);
    }
    Node last = first;
    int left = most - 1;
    for (; left > 0 && last.next != null; left--) {
      last = last.next;
    }
    urgentTaken = last.next;
    last.next = left == 0 ? null : latest == null ? takeOrdinary(left) : latest.take(left);
    return first;
  }

  private @Nullable Node takeOrdinary(int most) {
    if (!isBounded()) {
      return takeUnbounded(most);
    }
    Node first = ordinaryTaken;
    if (first != null) {
      HELD.setRelease(this, held - handOut(first, most));
    } else if ((first = turnOrdinary(most)) != null) {
      var _ = handOut(first, most);
    }
    return first;
  }

  /// Keeps what is behind the `most` first ones.
  ///
  /// @return how many those are
  private int handOut(Node first, int most) {
    Node last = first;
    int count = 1;
    for (; count < most && last.next != null; count++) {
      last = last.next;
    }
    ordinaryTaken = last.next;
    last.next =
        null; // else a dead node that has grown old would keep all behind it from dying young
    return count;
  }

  /// What has come, of which `most` are about to be handed out.
  private @Nullable Node turnOrdinary(int most) {
    Node seen; // nothing is held: what was turned round before has been handed out
    while ((seen = ordinary) != null) {
      HELD.setRelease(this, -seen.depth);
      if (ORDINARY.compareAndSet(this, seen, null)) {
        HELD.setRelease(this, Math.max(0, seen.depth - most));
        return reversed(seen);
      }
    }
    return null;
  }

  // ---- the consumer of a queue without a bound ----

  private @Nullable Node takeUnbounded(int most) {
    if (ordinaryTaken == null && ordinary != null) { // before any look into a burst
      Node seen = (Node) ORDINARY.getAndSet(this, null);
      HELD.setRelease(this, seen.depth);
      ordinaryTaken = reversed(seen);
    }
    return ordinaryTaken == null && keptFirst == null ? null : pick(most);
  }

  /// Up to `most` out of the bursts that are kept, then of what was turned round.
  private @Nullable Node pick(int most) {
    Node first = null;
    Node last = null;
    int items = 0; // out of bursts
    int nodes = 0; // off the lane
    int bursts = 0; // of those
    Burst before = null;
    Burst burst = keptFirst;
    try {
      while (items + nodes - bursts < most) {
        Node node;
        if (burst != null) {
          boolean over = burst.isOver(); // before the look for more
          int taken = burst.taken();
          node = burst.next(most - items - nodes + bursts);
          if (node == null) {
            before = over ? drop(before, burst) : burst;
            burst = burst.nextKept;
            continue;
          }
          items += burst.taken() - taken;
        } else {
          node = ordinaryTaken;
          if (node == null) {
            break;
          }
          ordinaryTaken = node.next;
          node.next = null; // else a dead node that has grown old would keep all behind it
          nodes++;
          if (node instanceof Burst met) {
            bursts++;
            burst = keep(met);
            continue;
          }
        }
        if (last == null) {
          first = node;
        } else {
          last.next = node;
        }
        last = node;
      }
    } catch (OutOfMemoryError e) { // a burst needs it for the nodes that are handed out
      if (last != null) {
        last.next = ordinaryTaken;
        ordinaryTaken = first;
      }
      throw e;
    } finally {
      HELD.setRelease(this, held - nodes);
      count(bursts - items);
    }
    return first;
  }

  private Burst keep(Burst met) {
    met.keep();
    if (keptLast == null) {
      keptFirst = met;
    } else {
      keptLast.nextKept = met;
    }
    keptLast = met;
    return met;
  }

  private @Nullable Burst drop(@Nullable Burst before, Burst burst) {
    if (before == null) {
      keptFirst = burst.nextKept;
    } else {
      before.nextKept = burst.nextKept;
    }
    if (keptLast == burst) {
      keptLast = before;
    }
    return before;
  }

  private boolean hasMoreKept() {
    for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
      if (burst.hasMore()) {
        return true;
      }
    }
    return false;
  }

  /// Whether a take would find nothing.
  public boolean isEmpty() {
    return urgentTaken == null
        && !hasMoreKept()
        && ordinaryTaken == null
        && urgent == null
        && ordinary == null
        && (latest == null || latest.size() == 0);
  }

  /// Whether there is an urgent node.
  public boolean hasUrgent() {
    return urgentTaken != null || urgent != null;
  }

  /// Refuses every later push.
  ///
  /// @return what was in the queue, urgent first, oldest first, linked by [#after]; bursts as they
  ///   are, to be abandoned
  public @Nullable Node close() {
    Node first = null;
    Node last = null;
    for (Node lane :
        new Node[] {
          urgentTaken,
          reversed((Node) URGENT.getAndSet(this, CLOSED)),
          allKept(),
          ordinaryTaken,
          reversed((Node) ORDINARY.getAndSet(this, CLOSED)),
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
    urgentTaken = null;
    ordinaryTaken = null;
    keptFirst = null;
    keptLast = null;
    HELD.setRelease(this, 0);
    return first;
  }

  private @Nullable Node allKept() {
    for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
      burst.next = burst.nextKept;
    }
    return keptFirst;
  }

  /// The node behind one that [#take] or [#close] has returned.
  public static @Nullable Node after(Node node) {
    return node.next;
  }

  /// Leaves out the node behind one that [#take] has returned.
  public static void skipAfter(Node node) {
    node.next = Objects.requireNonNull(node.next).next;
  }

  private static @Nullable Node reversed(@Nullable Node newest) {
    Node oldest = null;
    while (newest != null) {
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
