// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Consecutive messages of one run to one task, as a single node of that task's queue: the run adds
/// to the node while it is in the queue.
public abstract class Burst extends Node {
  /*
   * States.  from   event                                     to         by, with
   *          OPEN   the run ends, its worker pushes           SEALED     the sending worker: CAS
   *                 something else, or all places are taken
   *          OPEN   the receiver ends                         ABANDONED  the consumer: CAS
   *
   * A burst is pushed with its first item. Each later item is two stores: the item, then the count,
   * released. So an accepted item is in the queue ahead of everything that is pushed later, as if
   * it had been pushed itself. Each take of the consumer delivers the items that are there. The
   * consumer keeps a burst that is still OPEN, and reads it again before it takes what is behind
   * it.
   *
   * An added item has no fence, so the receiver may miss it. The sender reads the receiver's state
   * after adding and wakes a receiver that waits. But the receiver may be about to wait at that
   * moment, and neither sees the other. Two later checks find the item:
   * - The end of the burst. The consumer sets `kept`, then reads the state. The sender seals by
   *   CAS, then reads `kept`. So either the consumer sees that the burst is sealed, and with it all
   *   items, or the sender sees that the burst is kept, and wakes the consumer.
   * - The scheduler monitor, each millisecond while one run goes on. So a step that does not return
   *   delays no item for longer.
   *
   * Threads. add(), end(): the sending worker. keep(), next(), hasMore(), isOver(), abandon(): the
   * consumer. mayBeUnseen(), uncounted(): any.
   *
   * I1. What one worker sends to one task is delivered in order. The worker seals its burst before
   *     it pushes anything else, so its later pushes are delivered after the last item. Mutants:
   *     burst-open-beside-a-send, burst-looked-into-once; BurstStress.LooksTooSoon. [BurstTest,
   *     BurstStress, MessageFloodTest]
   * I2. An accepted item is delivered once, or passed to unseen() once. The consumer does that for
   *     the items counted before it stored ABANDONED. The sender at the end of the burst, or the
   *     scheduler monitor, does it for an item that was being added at that moment. Mutants:
   *     burst-of-the-dead-forgotten, burst-goes-on-for-the-dead; BurstStress.AbandonsByStore,
   *     SealsByStore, LeavesByStore. [BurstTest, BurstStress, MessageFloodTest]
   * I3. An added item is seen by a step that begins after the end of the burst, or has been seen
   *     already. Mutants: burst-ends-silently, burst-kept-back-in-a-long-step;
   *     BurstStress.EndsSilently, SealsTooLate, KeepsTooLate. [BurstTest, BurstStress,
   *     MessageFloodTest]
   *
   * Bounded queues. They check for each item whether there is space; adding without a CAS is not
   * possible there, so they get no bursts.
   *
   * Several senders. Suppose a step learns through shared memory that another sender has pushed a
   * message behind its open burst, and then adds to the burst: the added item is delivered first.
   * What the step learns by an event, or after a call that pushes, is in order.
   *
   * Out of stack or memory. `ready` is set last: if the push of a burst is interrupted, no item is
   * added to it, and end() completes the wake-up. end() may be called again after any of its
   * instructions, at the end of this run or of the next.
   *
   * Cost. Two stores and a few reads for an item; one CAS to push and one to seal, for 16 to 128
   * items. 4 bytes for an item until it is taken.
   *
   * Rejected. A chain that is private to the worker and pushed at the end: each call of the runtime
   * with a visible effect would have to push it first, something would have to take it from a step
   * that does not return, and the receiver may have ended meanwhile. Places reserved with the push,
   * so that bounded queues could have bursts: other senders would be refused while the places are
   * empty. A lock of the burst for each item: a fence again.
   *
   * Sources. Decision 0039; trap-39.
   */
  private static final int OPEN = 0;
  private static final int SEALED = 1;
  private static final int ABANDONED = 2;

  private static final VarHandle STATE = VarHandles.find(lookup(), "state", int.class);
  private static final VarHandle COUNT = VarHandles.find(lookup(), "count", int.class);
  private static final VarHandle TAKEN = VarHandles.find(lookup(), "taken", int.class);

  private final Task to;
  private final EventQueue queue;
  private final @Nullable Object[] items;

  // the sending worker
  private boolean ready; // its push is known to have succeeded
  private boolean counted;

  // the sending worker releases it
  private int count = 1;

  // both, CAS
  @SuppressWarnings("FieldMayBeFinal") // through STATE
  private volatile int state = OPEN;

  // the consumer; once ABANDONED, any thread that finds an item left: CAS
  @SuppressWarnings("FieldMayBeFinal") // through TAKEN
  private volatile int taken;

  // the consumer
  private volatile boolean kept;
  @Nullable Burst nextKept;

  /// A burst with its first item.
  ///
  /// @param places at least 1
  protected Burst(Task to, EventQueue queue, int places, @Nullable Object first) {
    this.to = to;
    this.queue = queue;
    this.items = new Object[places];
    items[0] = first;
  }

  /// Creates the node that delivers the items from `first` up to `end`, which no longer change.
  protected abstract Node node(@Nullable Object[] from, int first, int end);

  /// Called for an item that was accepted and that the consumer, which has ended, will not see.
  protected abstract void unseen(@Nullable Object item);

  // ---- the sending worker ----

  /// The burst was pushed, and its receiver woken.
  public final void pushed() {
    ready = true;
  }

  /// Adds an item; the caller then wakes the receiver if it waits.
  ///
  /// @return false when no place is left, or the burst is sealed or abandoned
  final boolean add(@Nullable Object item) {
    int at = count;
    if (!ready || at == items.length || state != OPEN) {
      return false;
    }
    items[at] = item;
    COUNT.setRelease(this, at + 1);
    return true;
  }

  /// Seals the burst. May be called again if memory or stack has run out in the middle, or the
  /// receiver was not woken.
  ///
  /// @return whether the receiver must be woken
  final boolean end() {
    ready = false;
    STATE.compareAndSet(this, OPEN, SEALED); // fails when it is sealed or abandoned already
    if (state == ABANDONED) {
      abandonRest();
      return false;
    }
    if (!counted) {
      counted = true;
      queue.count(count - 1);
    }
    return kept;
  }

  // ---- the consumer ----

  /// The consumer has taken the burst off the lane. If it is still OPEN, its end will wake the
  /// receiver.
  final void keep() {
    if (state == OPEN) {
      kept = true; // volatile, and so is the read of the state that follows: isOver()
    }
  }

  /// Whether no item will be added any more.
  final boolean isOver() {
    return state != OPEN;
  }

  /// Whether there is an item that [#next] has not returned.
  final boolean hasMore() {
    return taken < (int) COUNT.getAcquire(this);
  }

  /// Takes out the next items, or returns null.
  ///
  /// @param most of them, at least 1
  final @Nullable Node next(int most) {
    int first = taken;
    int end = Math.min((int) COUNT.getAcquire(this), first + most);
    if (first >= end) {
      return null;
    }
    Node made = node(items, first, end); // before the store: it may lack memory
    TAKEN.setRelease(this, end);
    return made;
  }

  /// The number of items that were delivered.
  final int taken() {
    return taken;
  }

  /// The consumer has ended: passes all items that were not taken to [#unseen].
  public final void abandon() {
    boolean over;
    do {
      over = state != OPEN;
      abandonRest();
    } while (!over && !STATE.compareAndSet(this, OPEN, ABANDONED));
  }

  /// The consumer, before ABANDONED; then any thread, for the one item at most that was being added
  /// at that moment.
  private void abandonRest() {
    for (int at = taken; at < (int) COUNT.getAcquire(this); at = taken) {
      if (TAKEN.compareAndSet(this, at, at + 1)) {
        try {
          unseen(items[at]);
        } catch (Throwable t) {
          taken = at; // abandonRest() is called again
          throw t;
        }
      }
    }
  }

  // ---- any thread ----

  /// Whether the receiver may have missed an item.
  final boolean mayBeUnseen() {
    if (!hasMore()) {
      return false;
    }
    if (state == ABANDONED) {
      abandonRest();
      return false;
    }
    return true;
  }

  final Task to() {
    return to;
  }

  /// The number of its items that the length of the queue does not include; 0 if it is not for
  /// `task`.
  final int uncounted(Task task) {
    return task == to && state == OPEN ? (int) COUNT.getAcquire(this) - 1 : 0;
  }

  /// What the consumer of an unbounded queue has taken off its lane and not yet delivered: first
  /// the bursts that it has begun to read and that may get more items, then nodes, among them
  /// bursts.
  ///
  /// **Thread** the consumer.
  static final class ReversedBursts {
    /*
     * Kept bursts come first: everything behind them was pushed later. The consumer empties the
     * lane before it reads the kept bursts. So if an item was added before a node was pushed, and
     * the node was taken off the lane, the item is read before that node.
     *
     * An uncounted node is in `nodes`. Its producer has ended its burst before pushing the node:
     * that burst is in front of the node, or kept, and all its items are seen. What the producer
     * sends later is behind the node.
     */

    /// Neither delivered nor kept.
    final Backlog nodes = new Backlog();

    // oldest first
    private @Nullable Burst keptFirst;
    private @Nullable Node first; // of the nodes being picked
    private @Nullable Burst keptLast;

    // the change of the count of items in bursts, except one for each burst
    private int unsettled;

    /// Whether [#pick] would find a node.
    boolean hasMore() {
      if (!nodes.isEmpty()) {
        return true;
      }
      for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
        if (burst.hasMore()) {
          return true;
        }
      }
      return false;
    }

    /// Takes up to `most` nodes, oldest first. Each item of a burst counts as one.
    @Nullable Node pick(int most) {
      nodes.rewind();
      try {
        pickAll(most);
      } catch (OutOfMemoryError e) { // a burst allocates the nodes that it delivers
        nodes.putBack(first); // for close(): the process ends
        first = null;
        throw e;
      }
      Node all = first;
      first = null;
      return all;
    }

    private void pickAll(int most) {
      Node last = null;
      int picked = 0;
      Burst before = null;
      Burst burst = keptFirst;
      while (picked < most) {
        Node node;
        if (burst != null) {
          boolean over = burst.isOver(); // read before next()
          int taken = burst.taken();
          node = burst.next(most - picked);
          if (node == null) {
            before = over ? drop(before, burst) : burst;
            burst = burst.nextKept;
            continue;
          }
          int items = burst.taken() - taken;
          picked += items;
          unsettled -= items;
        } else {
          node = nodes.peek();
          if (node == null) {
            break;
          }
          nodes.remove();
          if (node instanceof Burst met) {
            unsettled++;
            burst = keep(met);
            continue;
          }
          picked++;
        }
        if (last == null) {
          first = node;
        } else {
          last.next = node;
        }
        last = node;
      }
    }

    /// The change of the count of items in bursts since the last call.
    int settled() {
      int change = unsettled;
      unsettled = 0;
      return change;
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

    /// Takes everything, linked; bursts are not opened.
    @Nullable Node clear() {
      for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
        burst.next = burst.nextKept;
      }
      Node first = keptFirst;
      Node rest = nodes.clear();
      if (keptLast != null) {
        keptLast.next = rest;
      }
      keptFirst = null;
      keptLast = null;
      return first == null ? rest : first;
    }
  }
}
