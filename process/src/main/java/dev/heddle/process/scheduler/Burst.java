// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// What a run of steps sends to one task, one after the other: a single node of that task's queue,
/// to which the steps add while it lies there.
public abstract class Burst extends EventQueue.Node {
  /*
   * States.  from   event                                        to         who, order
   *          OPEN   the run ends, or its worker pushes           SEALED     its worker: CAS
   *                 something else, or all places are taken
   *          OPEN   the receiver ends                            ABANDONED  the consumer: CAS
   *
   * The first item is in it when it is pushed; each later one is two stores, of the item and,
   * released, of how many there are. So an item that was accepted lies in the queue, ahead of
   * whatever is pushed later, as if it had been pushed itself. The consumer takes what is there
   * whenever it takes anything. A burst that it finds OPEN it keeps, and looks into it before it
   * takes what lies behind it.
   *
   * What costs no fence tells nobody that it is there. Whoever adds looks at the receiver's state,
   * and wakes it if it rests; but the receiver may settle down at that moment, and neither sees
   * the other. Two look after that:
   *   - the end of the burst. Consumer: sets `kept`, then reads the state. Sender: seals by CAS,
   *     then reads `kept`. So the consumer sees that it is sealed, and all that is in it, or the
   *     sender sees that it is kept, and wakes.
   *   - the lookout, each millisecond while the same run goes on: a step that does not return
   *     keeps nothing back.
   *
   * Threads. add(), end(): the worker of the steps. keep(), next(), hasMore(), isOver(),
   * abandon(): the consumer. wakeReceiver(), uncounted(): any.
   *
   * I1. What one worker sends to one task leaves in order: a burst is sealed before its worker
   *     pushes anything else, so what its worker pushes later is handed out after the last of it.
   *     Mutants: burst-open-beside-a-send, burst-looked-into-once; BurstStress.LooksTooSoon.
   *     [BurstTest, BurstStress, MessageFloodTest]
   * I2. An item that was accepted is handed out once, or left unseen once: up to the count that
   *     was read before ABANDONED by the consumer; one that was being added at that moment by the
   *     sender at the end, or by the lookout. Mutants: burst-of-the-dead-forgotten,
   *     burst-goes-on-for-the-dead; BurstStress.AbandonsByStore, SealsByStore, LeavesByStore.
   *     [BurstTest, BurstStress, MessageFloodTest]
   * I3. What is added is seen by a step that begins after the end of the burst, or has been seen.
   *     Mutants: burst-ends-silently, burst-kept-back-in-a-long-step; BurstStress.EndsSilently,
   *     SealsTooLate, KeepsTooLate. [BurstTest, BurstStress, MessageFloodTest]
   *
   * Bounds. A queue with a bound says of each item whether there is room for it; nothing is added
   * there without a CAS.
   *
   * Order between several senders. A step that learns in its middle, by memory that it shares, of
   * a message that another has pushed behind its open burst, and adds to that, has what it adds
   * handed out first. What it learns by an event, or after a call that pushes, is in order.
   *
   * Want of stack and memory. `ready` is set last: where the push of a burst is cut off, nothing
   * is added to it, and its end makes good what was missed. end() may be called again after each
   * of its instructions: at the end of the run, or of the next.
   *
   * Cost. Two released stores and some reads an item; a CAS to push, one to seal, for 16 to 128
   * items. 4 bytes an item until it is taken.
   *
   * Rejected. A chain that is private to the worker and pushed at the end: everything of the
   * runtime that others may see would have to push it first, it would have to be taken away from a
   * step that goes on and on, and the receiver may have ended meanwhile. Places that are reserved
   * with the push, so that there may be bursts in queues with a bound: others would be refused
   * while the places are empty. A lock of the burst for each item: a fence again.
   *
   * Sources. Decision 0039; trap-39.
   */
  private static final int OPEN = 0;
  private static final int SEALED = 1;
  private static final int ABANDONED = 2;

  private static final VarHandle STATE;
  private static final VarHandle COUNT;
  private static final VarHandle TAKEN;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Burst.class, "state", int.class);
      COUNT = lookup.findVarHandle(Burst.class, "count", int.class);
      TAKEN = lookup.findVarHandle(Burst.class, "taken", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Task to;
  private final EventQueue queue;
  private final @Nullable Object[] items;

  // the step that sends
  private boolean ready; // its push is known to have succeeded
  private boolean counted;

  // the step that sends releases it
  private int count = 1;

  // both, CAS
  @SuppressWarnings("FieldMayBeFinal") // through STATE
  private volatile int state = OPEN;

  // the consumer; when that has abandoned it, whoever finds something left: CAS
  @SuppressWarnings("FieldMayBeFinal") // through TAKEN
  private volatile int taken;

  // the consumer
  private volatile boolean kept;
  @Nullable Burst nextKept;

  /// A burst that begins.
  ///
  /// @param places at least 1
  protected Burst(Task to, EventQueue queue, int places, @Nullable Object first) {
    this.to = to;
    this.queue = queue;
    this.items = new Object[places];
    items[0] = first;
  }

  /// What the consumer gets for items that will not change any more.
  protected abstract EventQueue.Node node(@Nullable Object[] from, int first, int end);

  /// An item was accepted, and the consumer has ended.
  protected abstract void unseen(@Nullable Object item);

  // ---- the steps that send ----

  /// It was pushed, and its receiver woken.
  public final void pushed() {
    ready = true;
  }

  /// Adds an item, and wakes the receiver if it rests.
  ///
  /// @return false when it has no place left, has ended, or nobody will take any more
  public final boolean add(@Nullable Object item, Worker sender) {
    int at = count;
    if (!ready || at == items.length || state != OPEN) {
      return false;
    }
    items[at] = item;
    COUNT.setRelease(this, at + 1);
    if (to.isWaitingForAnything()) { // else it looks itself, or hears of it at the end
      sender.scheduler().wake(to, Task.BY_MESSAGE, sender);
    }
    return true;
  }

  /// Nothing more is added. May be called again where memory or stack has ended in the middle.
  final void end(Worker by) {
    ready = false;
    STATE.compareAndSet(this, OPEN, SEALED); // no matter if it is sealed already
    if (state == ABANDONED) {
      abandonRest();
      return;
    }
    if (!counted) {
      counted = true;
      queue.count(count - 1);
    }
    if (kept) {
      by.scheduler().wake(to, Task.BY_MESSAGE, by);
    }
  }

  // ---- the consumer ----

  /// It is taken off the queue's lane: if it is not over, its end will wake the receiver.
  final void keep() {
    if (state == OPEN) {
      kept = true; // volatile, and so is the look at the state that follows: isOver()
    }
  }

  /// Whether nothing will be added.
  final boolean isOver() {
    return state != OPEN;
  }

  /// Whether something was added that [#next] has not returned.
  final boolean hasMore() {
    return taken < (int) COUNT.getAcquire(this);
  }

  /// Takes out the next items, or returns null.
  ///
  /// @param most of them, at least 1
  final EventQueue.@Nullable Node next(int most) {
    int first = taken;
    int end = Math.min((int) COUNT.getAcquire(this), first + most);
    if (first >= end) {
      return null;
    }
    EventQueue.Node made = node(items, first, end); // before it is said: it takes memory
    TAKEN.setRelease(this, end);
    return made;
  }

  /// How many items it has handed out.
  final int taken() {
    return taken;
  }

  /// Nobody takes any more: leaves all that was not taken unseen.
  public final void abandon() {
    boolean over;
    do {
      over = state != OPEN;
      abandonRest();
    } while (!over && !STATE.compareAndSet(this, OPEN, ABANDONED));
  }

  /// The consumer, while it has not abandoned it; then any thread: one item is left at most, which
  /// was being added at that moment.
  private void abandonRest() {
    for (int at = taken; at < (int) COUNT.getAcquire(this); at = taken) {
      if (TAKEN.compareAndSet(this, at, at + 1)) {
        try {
          unseen(items[at]);
        } catch (Throwable t) {
          taken = at; // it is tried again
          throw t;
        }
      }
    }
  }

  // ---- any thread ----

  /// Its step goes on and on: wakes the receiver if something lies here that it may have missed.
  final void wakeReceiver(WorkScheduler scheduler) {
    if (!hasMore()) {
      return;
    }
    if (state == ABANDONED) {
      abandonRest();
    } else {
      scheduler.wake(to, Task.BY_MESSAGE, null); // once more than needed does no harm
    }
  }

  /// How many items are in it that the queue's length does not count, if it is for `task`.
  final int uncounted(Task task) {
    return task == to && state == OPEN ? (int) COUNT.getAcquire(this) - 1 : 0;
  }
}
