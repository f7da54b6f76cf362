// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.Pid;
import dev.heddle.process.scheduler.Burst;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// What a step sends to one process, one message after the other: a single node of the mailbox, to
/// which the step adds while it lies there.
final class MessageBurst extends Messages implements Burst {
  /*
   * States.  from    event                           to         who, order
   *          OPEN    the step ends, or sends to        SEALED     its worker: CAS
   *                  another, or all places are taken
   *          OPEN    the receiver ends                ABANDONED  the receiver's worker: CAS
   *
   * The first message is in it when it is pushed; each later one is two stores, of the message and, released, of how many there are. So a message
   * that was accepted lies in the mailbox, ahead of whatever is pushed later, as if it had been pushed itself. The receiver takes what is
   * there whenever it takes anything. If it finds a burst OPEN, it keeps it, and looks into it before it takes what was pushed behind it.
   *
   * What costs no fence says nobody that it is there. Whoever adds looks at the receiver's state, and wakes it if it rests; but the receiver may
   * settle down at that moment, and neither sees the other. Three look after that:
   *   - the end of the burst: `kept`, then the state (the receiver); the state, then `kept` (the sender); so the receiver sees that it is sealed, and
   *     all that is in it, or the sender sees that it is kept, and wakes.
   *   - the lookout, each millisecond while the same step goes on, so a step that does not return keeps nothing back.
   *   - any other wake-up of the receiver.
   *
   * Threads. add(), end(): the worker of the step. admittedTo(), more(), leaveUnseen(): the receiver's worker. urge(), uncounted(): any.
   *
   * I1. What one worker sends to one process leaves in order: a burst is sealed before its worker pushes anything else for anybody, so what is
   *     behind it in the mailbox is taken after the last of it. [BurstTest, BurstStress]
   * I2. A message that was accepted is handed out once, or left unseen once: up to the count that was read before ABANDONED by the receiver, what was
   *     added later by the sender, which finds that state at the end. [BurstTest, BurstStress]
   * I3. What is added is seen by a step that begins after the burst has ended, or has been seen. [BurstTest, BurstStress]
   *
   * Bounds. A mailbox with a bound says of each message whether there is room for it: nothing is added there without a CAS. Bursts are for
   * mailboxes without one.
   *
   * Want of stack and memory. `ready` is set last: where the push of a burst is cut off, nothing is added to it, and its end makes good what was
   * missed. end() may be called again after each of its instructions.
   *
   * Rejected. A chain that is private to the worker, and pushed at the end: then everything of the runtime that others may see has to push
   * it first, a step that goes on and on has to have it taken away, and the receiver may have ended meanwhile. Places that are reserved with the
   * push, so that there may be bursts for mailboxes with a bound: these would refuse others while the places are empty.
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
      STATE = lookup.findVarHandle(MessageBurst.class, "state", int.class);
      COUNT = lookup.findVarHandle(MessageBurst.class, "count", int.class);
      TAKEN = lookup.findVarHandle(MessageBurst.class, "taken", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final LiveProcess to;
  private final Pid address;

  // the step that sends: nothing is added before the push is known to have succeeded
  private boolean ready;
  private boolean isCounted;

  // the step that sends releases it
  private int count = 1;

  // both workers, CAS
  @SuppressWarnings("FieldMayBeFinal") // through STATE
  private volatile int state = OPEN;

  // the receiver's worker; when that has abandoned it, whoever finds something left: CAS
  @SuppressWarnings("FieldMayBeFinal") // through TAKEN
  private volatile int taken;

  // the receiver's worker
  private volatile boolean kept;
  @Nullable MessageBurst nextKept;

  /// A burst that begins.
  ///
  /// @param places at least 1
  MessageBurst(LiveProcess to, int places, @Nullable Object first) {
    super(new Object[places], 0, 0);
    this.to = to;
    this.address = to.self();
    items[0] = first;
  }

  // ---- the step that sends ----

  /// It was pushed, and its receiver woken.
  void begins() {
    ready = true;
  }

  /// Adds a message to the burst of the step in which this is called, if that has one for `to` to
  /// which something may be added.
  static boolean takes(Pid to, @Nullable Object message) {
    Worker sender = Worker.current();
    return sender != null
        && sender.ownBurst() instanceof MessageBurst burst
        && burst.address == to
        && burst.add(message, sender);
  }

  /// Adds a message.
  ///
  /// @return false when it has no place left, has ended, or nobody will take any more
  boolean add(@Nullable Object message, Worker sender) {
    int at = count;
    if (!ready || at == items.length || state != OPEN || to.isAbandoned()) {
      return false;
    }
    items[at] = message;
    COUNT.setRelease(this, at + 1);
    if (to.isResting()) { // else it looks itself, or hears of it at the end
      to.host.scheduler().wake(to, Task.BY_MESSAGE, sender);
    }
    return true;
  }

  @Override
  public void end(Worker by) {
    ready = false;
    STATE.compareAndSet(this, OPEN, SEALED); // no matter if it was sealed before
    if (state == ABANDONED) {
      leaveRest();
      return;
    }
    if (!isCounted) {
      isCounted = true;
      to.moreWait(count - 1);
    }
    if (kept) {
      to.host.scheduler().wake(to, Task.BY_MESSAGE, by);
    }
  }

  // ---- the receiver ----

  @Override
  protected int weight() {
    return (int) COUNT.getAcquire(this);
  }

  @Override
  boolean admittedTo(LiveProcess process) {
    boolean over = state != OPEN;
    if (!over) {
      kept = true; // volatile, and so is the look that follows
      over = state != OPEN;
    }
    int now = (int) COUNT.getAcquire(this); // after the state
    TAKEN.setRelease(this, now);
    upTo(now);
    process.moreWait(1 - now);
    if (!over) {
      process.keep(this);
    }
    return true;
  }

  /// Whether nothing will be added.
  boolean isOver() {
    return state != OPEN;
  }

  /// Whether something was added since the last look.
  boolean hasMore() {
    return taken < (int) COUNT.getAcquire(this);
  }

  /// What was added since the last look, or null.
  @Nullable Messages more() {
    int before = taken;
    int now = (int) COUNT.getAcquire(this);
    if (now == before) {
      return null;
    }
    Messages made = new Messages(items, before, now); // first, for it takes memory
    to.moreWait(before - now);
    TAKEN.setRelease(this, now);
    return made;
  }

  /// Its receiver has ended.
  @Override
  void leaveUnseen(ProcessHost host) {
    boolean over;
    do {
      over = state != OPEN;
      leaveRest();
    } while (!over && !STATE.compareAndSet(this, OPEN, ABANDONED));
  }

  /// The receiver, while it has not abandoned it; then any thread: at most one message is left,
  /// which was being added at that moment.
  private void leaveRest() {
    for (int at = taken; at < (int) COUNT.getAcquire(this); at = taken) {
      if (TAKEN.compareAndSet(this, at, at + 1)) {
        try {
          to.host.leftUnseen(items[at]);
        } catch (Throwable t) {
          taken = at; // it is tried again
          throw t;
        }
      }
    }
  }

  // ---- any thread ----

  @Override
  public void urge() {
    if (!hasMore()) {
      return;
    }
    if (state == ABANDONED) {
      leaveRest();
    } else {
      to.host.scheduler().wake(to, Task.BY_MESSAGE, null);
    }
  }

  @Override
  public int uncounted(Task task) {
    return task == to && state == OPEN ? (int) COUNT.getAcquire(this) - 1 : 0;
  }
}
