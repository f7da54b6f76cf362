// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.scheduler.inbox.Inbox;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A stack that coroutines run on: a virtual thread whose scheduler is this object.
public final class ExecutionContext extends Inbox.Node implements Executor, Runnable {
  /*
   * The switch protocol. The JDK keeps the state of the virtual thread. This class keeps which side
   * may resume it: the JDK (foreign waits, user yields) or the loop (waits through a waker, idle in
   * the pool).
   *
   * States.
   *   from       event                     to         who, order
   *   CREATED    mount()                   ACTIVE     carrier: Thread.start passes us our own task
   *   ACTIVE     suspend()                 SUSPENDED  the context: store, then Thread.yield
   *   SUSPENDED  yield returned (pinned)   ACTIVE     the context: it was never unmounted
   *   SUSPENDED  mount()                   RESUMING   carrier: store, then task.run
   *   SUSPENDED  abandon()                 RESUMING   carrier: store, then the JDK's scheduler
   *   RESUMING   yield returned            ACTIVE     the context, first thing after the switch
   *   RESUMING   task.run mounted nothing  RESUMING   carrier: fence, run once more, then wait for
   *                                                   execute()
   *   ACTIVE     body ended                ENDED      the context, last thing
   *   any        drop(), after a crash     ENDED      carrier: store, then the JDK forgets the
   *                                                   thread
   *
   * The own task runs the thread until it yields or parks: the JDK's run of its continuation.
   * The meaning of execute(own task), by state:
   *   CREATED    the JDK passes the task, which this class keeps
   *   ACTIVE     a real wake-up: the context goes to the ready queue when a coroutine of the same
   *              loop wakes it, else through the inbox
   *   SUSPENDED  after our own yield the JDK asks to run the thread again at once, and after a
   *              thread dump, too: nothing to do. So only mount() resumes it
   *   RESUMING   a thread dump has released the thread: post, so that the carrier retries the
   *              pending resume
   *   ENDED      cannot happen, ignored
   * execute(any other task): a virtual thread that was created inside a coroutine and has inherited
   * its scheduler; the host decides who runs it.
   *
   * Threads. execute(): any, even while a virtual thread is current, even after the loop has ended.
   * suspend() and run(): the context's own thread. Everything else: the carrier.
   *
   * I1. Code after suspend() runs only when the carrier has called mount() for it. Two exceptions:
   *     a pinned suspend() returns false at once, and an occupant that the loop abandons continues
   *     on the JDK's default scheduler. [ExecutionContextTest]
   * I2. A resume that did not mount is never lost: mount() returned false and an execute() follows.
   *     [DumperTest]
   * I3. An execute() never mounts a context that is SUSPENDED: it waits for the loop. [DumperTest]
   * I4. execute() takes no lock, allocates nothing and does not throw. [ExecutionContextTest]
   * I5. An occupant finds nothing that its predecessor has bound to the thread. [ContextResetTest]
   * I6. An interrupt of an occupant that waits for the loop is reported to it, on the loop.
   *     [InterruptTest; InterruptHook]
   *
   * Memory order. `state` is plain. The carrier writes it, and so does the occupant mounted on it;
   * mount and unmount order the two. Other threads read it:
   *   (a) An unparker reads ACTIVE after the JDK's own volatile state, which the occupant wrote
   *       after `state`. So the read is current.
   *   (b) A dumper restores the JDK's state (volatile) and then reads `state`; the carrier writes
   *       RESUMING and then reads the JDK's state: Dekker. On the fast path the carrier's store is
   *       not fenced; when the run mounted nothing, the carrier fences and runs again. If the
   *       second run fails too, the dumper restores after the fence, hence reads RESUMING and
   *       posts. Without the fence both may miss each other. Mutant: NoFenceAfterLostRun.
   *   (c) A stale RESUMING or ACTIVE read by a dumper costs one post, which the scheduler drops
   *       because of the state that it then sees (I3).
   *
   * Cost. One mount and one unmount a switch. The first occupant of a context costs one thread
   * creation. A later one costs no switch when it is ready at once, else one. A foreign wake-up:
   * two CAS.
   *
   * Rejected. park/unpark for the loop's own waits: 30 % slower, and user code sees the permit. A
   * raw Continuation: a yield inside `synchronized` hangs, and locks and thread-locals leak between
   * coroutines. A volatile `state`: 6 ns a switch for a case that exists only during a thread dump.
   *
   * Sources. T1, T4, T9; trap-38, trap-43, trap-59, trap-60, trap-62, trap-66.
   */
  private static final int CREATED = 0;
  private static final int ACTIVE = 1;
  private static final int SUSPENDED = 2;
  private static final int RESUMING = 3;
  private static final int ENDED = 4;

  private final ContextPool pool;
  private final @Nullable ContextOwner owner; // null: it runs any occupant
  private final Thread thread;

  // written once, by the first execute(), on the carrier
  private @Nullable Runnable task;

  // carrier and mounted occupant; racy reads from execute()
  private int state = CREATED;

  // carrier and mounted occupant
  private @Nullable Occupant occupant;

  // written by the carrier only; the value that another thread reads has no effect
  private boolean endingWait;

  ExecutionContext(ContextPool pool, @Nullable ContextOwner owner) {
    this.pool = pool;
    this.owner = owner;
    this.thread = VirtualThreads.create(this, this);
  }

  /// The context of the current thread; null on any other thread, also one that was created inside
  /// a coroutine.
  public static @Nullable ExecutionContext current() {
    Thread thread = Thread.currentThread();
    return VirtualThreads.schedulerOf(thread) instanceof ExecutionContext context
            && context.thread == thread
        ? context
        : null;
  }

  /// The thread that an occupant sees as its own.
  public Thread thread() {
    return thread;
  }

  /// The loop this context belongs to.
  public Host host() {
    return pool.host;
  }

  /// The coroutine that runs or waits here; null while the context is idle.
  public @Nullable Occupant occupant() {
    return occupant;
  }

  /// The owner that reserves the context for one kind of occupant; null: none.
  public @Nullable ContextOwner owner() {
    return owner;
  }

  /// Whether the JDK decides when this context continues: it runs user code, or is in a foreign
  /// wait.
  public boolean isActive() {
    return state == ACTIVE;
  }

  /// Whether the JDK has parked the context and not resumed it yet. Also false at the moment when a
  /// dump of its stack, or another thread, is about to resume it.
  public boolean isParked() {
    return isActive() && !isPosted() && thread.getState() != Thread.State.RUNNABLE;
  }

  /// Whether the context waits for its next occupant.
  boolean isIdle() {
    return occupant == null && state == SUSPENDED;
  }

  /// Whether a resume by the carrier is still to happen.
  public boolean isResumePending() {
    return state == RESUMING;
  }

  /// The frames of its occupant, innermost first. Called on the carrier, or on the stack of a
  /// coroutine mounted there: no context is being resumed then, so that the read of the stack
  /// cannot make a mount fail (Memory order, b).
  public StackTraceElement[] stackOnLoop() {
    return thread.getStackTrace();
  }

  // ---- carrier ----

  /// Sets the occupant that takes this idle context at the coming [#mount()].
  public void admit(@Nullable Occupant next) {
    occupant = next;
  }

  /// Runs the context until it waits, becomes idle or ends.
  ///
  /// @return false when the JDK did not mount it, because another thread is reading its stack: the
  ///   resume stays pending and the context will arrive in the inbox
  public boolean mount() {
    if (state == CREATED) {
      thread.start();
    } else if (state == SUSPENDED) {
      state = RESUMING;
    }
    runTask();
    if (state != RESUMING) {
      return true;
    }
    VarHandle.fullFence();
    runTask();
    return state != RESUMING;
  }

  /// Interrupts the foreign wait of the occupant, if an interrupt ends that wait and the JDK has
  /// not resumed the occupant meanwhile.
  public ForeignWaits.End endForeignWait() {
    if (!isParked() || !ForeignWaits.endByInterrupt(thread)) {
      return ForeignWaits.End.STILL_WAITING;
    }
    boolean inDoubt = ForeignWaits.isHandOff(thread);
    // calls execute() here, unless another thread has unparked it by now
    if (!endWaitBy(thread::interrupt)) {
      return afterInterrupt();
    }
    return inDoubt ? ForeignWaits.End.AMBIGUOUS : ForeignWaits.End.BY_INTERRUPT;
  }

  /// Runs what ends the foreign wait of the occupant.
  ///
  /// @return whether it has: the caller resumes the context. Else the JDK has resumed it meanwhile,
  ///   and it arrives, or that wait is not over
  public boolean endWaitBy(Runnable end) {
    endingWait = true;
    try {
      end.run();
      return !endingWait;
    } finally {
      endingWait = false; // else a later wake-up of this carrier would have no effect
    }
  }

  /// Whether the occupant is in a timed `Object.wait`, and its stack is being read at this moment.
  /// The JDK's code for the end of that wait spins until the stack has been read. If a coroutine of
  /// this loop reads it, and has left the carrier in the middle, the carrier would spin for ever.
  ///
  /// A reader that begins after this call is on another thread: no coroutine of the loop runs
  /// before the carrier goes on. The carrier then spins for as long as that thread reads.
  public boolean isReadInObjectWait() {
    return VirtualThreads.isReadInTimedWait(thread);
  }

  /// The outcome of an interrupted wait that another thread may end before the coroutine has run.
  public ForeignWaits.End afterInterrupt() {
    return ForeignWaits.endsForSure(stackOnLoop())
        ? ForeignWaits.End.INTERRUPT_SEEN
        : ForeignWaits.End.UNDECIDED;
  }

  /// Whether an interrupt ends the foreign wait of the occupant.
  public boolean isInterruptible() {
    return ForeignWaits.endByInterrupt(thread);
  }

  /// The loop has ended: an occupant that still runs here continues on the JDK's default scheduler.
  /// In a simulation it never continues.
  public void abandon() {
    clearPosted();
    if (pool.isDropped()) {
      drop();
      return;
    }
    Runnable own = task;
    if (state == SUSPENDED) {
      // its next call into Heddle fails
      state = RESUMING;
    }
    if (own != null && (state == ACTIVE || state == RESUMING)) {
      VirtualThreads.defaultScheduler().execute(own);
    }
  }

  /// The loop has crashed: the occupant never continues, and the JDK forgets its thread.
  public void drop() {
    boolean begun = state != CREATED;
    state = ENDED; // a wake-up that is still to come has no effect
    if (begun) {
      VirtualThreads.forget(thread);
    }
  }

  /// Reads what a mount touches first, to prefetch it.
  ///
  /// @return a number without meaning
  public int prefetch() {
    return state + VirtualThreads.prefetch(thread) + (task instanceof Thread ? 1 : 0);
  }

  private void runTask() {
    Runnable own = task;
    if (own == null) {
      throw new IllegalStateException(
          "the JDK started " + thread + " without handing its task to the scheduler");
    }
    own.run();
  }

  /// The JDK has resumed an occupant from a foreign wait, or a pending resume can be retried.
  @Override
  public void onArrival() {
    pool.arrivals.accept(this);
  }

  // ---- any thread ----

  @Override
  public void execute(Runnable command) {
    Runnable own = task;
    if (own == null) {
      // Thread.start passes the task before any other thread can know this one
      task = command;
      state = ACTIVE;
      return;
    }
    if (command != own) {
      host().runBorn(command);
      return;
    }
    // safe: a stale state costs a dropped arrival or is repaired by mount(), see Memory order
    int seen = state;
    if (seen == ACTIVE || seen == RESUMING) {
      postArrival(command);
    }
  }

  private void postArrival(Runnable own) {
    ExecutionContext waker = current();
    if (waker != null && waker.pool == pool && !host().hasEnded()) {
      // a coroutine of the same loop wakes this one: no other thread uses the ready queue meanwhile
      if (claim()) {
        onArrival();
      }
    } else {
      if (endingWait && host().isCarrier(Thread.currentThread()) && claim()) {
        endingWait = false; // this carrier ends the wait, and resumes the context
        return;
      }
      if (!host().inbox().post(this) && !pool.isDropped()) {
        // the loop has ended: an occupant that still waits here continues on the JDK's scheduler,
        // and its calls into Heddle fail
        VirtualThreads.defaultScheduler().execute(own);
      }
    }
  }

  // ---- the context's own thread ----

  /// Whether the occupant's thread has been interrupted. An interrupt that comes later, while the
  /// occupant waits for the loop, calls [Occupant#interrupted()].
  public boolean isInterrupted() {
    InterruptHook.arm(thread, Interrupt.HOOK);
    return thread.isInterrupted();
  }

  /// Yields to the carrier until the next [#mount()].
  ///
  /// @return false when a frame is pinned and nothing happened
  public boolean suspend() {
    state = SUSPENDED;
    try {
      Thread.yield();
    } catch (Throwable e) {
      // the stack overflowed inside the JDK's yield: the occupant has not left
      state = ACTIVE;
      throw e;
    }
    boolean resumed = state == RESUMING;
    state = ACTIVE;
    return resumed;
  }

  @Override
  public void run() {
    try {
      Occupant first = occupant;
      if (owner == null && first != null) {
        first.runOn(applyInheritance(first));
      } else if (owner != null) {
        owner.runInFrame(this::runOccupants);
      }
    } catch (Throwable e) {
      host().broken(this, e);
    } finally {
      state = ENDED;
    }
  }

  private void runOccupants() {
    Occupant first = occupant;
    if (first != null) {
      first.runOn(applyInheritance(first));
    }
  }

  // sets what the occupant's thread inherits from the spawner's
  private ExecutionContext applyInheritance(Occupant to) {
    VirtualThreads.inherit(thread, to.inheritance(), pool.loader);
    return this;
  }

  /// The occupant after the one that has just ended; the context may be idle in between.
  ///
  /// @return null when the context is to end
  public @Nullable Occupant nextOccupant() {
    occupant = null;
    if (owner != null) {
      return nextReserved(owner);
    }
    if (!pool.reuse) {
      pool.onContextEnded(); // the thread ends; its name and interrupt flag stay for code that
      // refers to it
      return null;
    }
    VirtualThreads.clearBindings(thread);
    Occupant next = host().nextOn(this);
    if (next != null) {
      occupant = next;
    } else if (pool.release(this)) {
      suspend();
      // an interrupt or unpark for the last occupant may have come late; the next must not see it
      VirtualThreads.clearBindings(thread);
      next = occupant;
    }
    if (next != null) {
      applyInheritance(next);
    }
    return next;
  }

  private @Nullable Occupant nextReserved(ContextOwner keptBy) {
    VirtualThreads.clearInheritance();
    if (pool.closed) {
      return null; // the loop may have abandoned this context, which must not touch the loop's data
    }
    if (!keptBy.occupantEnded()) {
      pool.unreserve(this);
      return null;
    }
    suspend();
    VirtualThreads.clearInheritance();
    return occupant;
  }

  /// The loop, as its contexts see it.
  public interface Host {
    /// The inbox to which a context posts itself when the JDK resumes it.
    Inbox inbox();

    /// Whether `thread` mounts the contexts. **Thread** any.
    boolean isCarrier(Thread thread);

    boolean hasEnded();

    /// Runs a turn of a virtual thread that was created inside a coroutine and has inherited its
    /// scheduler. **Thread** any.
    default void runBorn(Runnable turn) {
      runBorn(turn, null);
    }

    /// The same.
    ///
    /// @param thread whose turn it is; null: not known
    void runBorn(Runnable turn, @Nullable Thread thread);

    /// The occupant that takes over `context` without a switch; null: the context becomes idle.
    /// Called on the context's own thread, after a coroutine on it has ended.
    @Nullable Occupant nextOn(ExecutionContext context);

    /// The pool has contexts to end as soon as the carrier is free to do so.
    void trimDue();

    /// A context of this host is lost to the loop: the loop had ended, or the context's code
    /// failed.
    void broken(ExecutionContext context, Throwable failure);
  }

  /// What runs on a context, from its first frame to its last: a coroutine.
  public interface Occupant {
    /// Runs to the end on `context`'s thread, and then runs the occupants that
    /// [ExecutionContext#nextOccupant()] returns, until it returns null. Must not throw.
    ///
    /// One frame serves all of them: every switch copies the frames below a coroutine.
    void runOn(ExecutionContext context);

    /// The context that it runs on; null before its start and after its end.
    @Nullable ExecutionContext context();

    /// The occupant's thread was interrupted a moment ago. Called on the loop, in a tick.
    void interrupted();

    /// What this occupant's thread inherits from the thread that spawned it; null for the context's
    /// own defaults.
    @Nullable Inheritance inheritance();
  }

  /// Notifies the loop that an occupant's thread was interrupted.
  private static final class Interrupt extends Inbox.Node {
    static final Object HOOK = InterruptHook.create(Interrupt::post);

    private final ExecutionContext context;

    private Interrupt(ExecutionContext context) {
      this.context = context;
    }

    private static void post(Thread interrupted) {
      if (VirtualThreads.schedulerOf(interrupted) instanceof ExecutionContext context) {
        // safe: a closed inbox belongs to a loop that has ended, where no coroutine waits
        var _ = context.host().inbox().post(new Interrupt(context));
      }
    }

    @Override
    public void onArrival() {
      Occupant there = context.occupant;
      if (there != null && context.thread.isInterrupted()) {
        there.interrupted();
      }
    }
  }
}
