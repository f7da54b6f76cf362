// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.scheduler.inbox.Inbox;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A stack that coroutines run on: a virtual thread whose scheduler is this object.
public final class ExecutionContext extends Inbox.Node implements Executor, Runnable {
  /*
   * The switch protocol. The JDK keeps the state of the virtual thread; this class keeps who may resume it: the JDK (foreign
   * waits, user yields) or the loop (waits through a waker, rest in the pool).
   *
   * States.  from       event                          to         who, order
   *          CREATED    start()                        HOSTING    carrier: Thread.start hands us our own task
   *          HOSTING    suspend()                      SUSPENDED  itself: store, then Thread.yield
   *          SUSPENDED  yield returned (pinned)        HOSTING    itself: nobody has resumed it
   *          SUSPENDED  mount()                        RESUMING   carrier: store, then task.run
   *          RESUMING   yield returned                 HOSTING    itself, first thing after the switch
   *          RESUMING   task.run mounted nothing       RESUMING   carrier: fence, run once more, then wait for execute()
   *          HOSTING    body ended                     ENDED      itself, last thing
   *
   * What execute(own task) means, by state:
   *          CREATED    the capture of the task        HOSTING    a true wake-up: to the ready queue when a coroutine of
   *                                                               the same loop wakes it, else through the inbox
   *          SUSPENDED  our own yield, or a thread dump: nothing
   *          RESUMING   a thread dump let go of the thread: post, so that the pending resume is tried again
   *          ENDED      cannot happen, ignored
   * execute(any other task): a virtual thread that was born inside and inherited its scheduler; the JDK's default one runs it.
   *
   * Threads. execute(): any, even while a virtual thread is current, even after the loop has ended. suspend() and run(): the
   * context's own thread. Everything else: the carrier.
   *
   * I1. Own code goes on after suspend() only when the carrier called mount() for it. [ExecutionContextTest]
   * I2. A resume that did not mount is never lost: mount() returned false and an execute() follows. [DumperTest]
   * I3. An execute() never mounts a context that waits for the loop. [DumperTest]
   * I4. execute() takes no lock, allocates nothing and does not throw. [ExecutionContextTest]
   * I5. A guest finds nothing that its predecessor bound to the thread. [ContextResetTest]
   * I6. An interrupt of a guest that waits for the loop is told to it, on the loop. [InterruptTest; InterruptHook]
   *
   * Memory order. `state` is plain: written by the carrier and by the guest mounted on it, which are one thread of execution
   * (mount and unmount order them). Foreign readers: (a) an unparker reads HOSTING after it read the JDK's own volatile state,
   * which the guest wrote after `state`; visible. (b) a dumper restores the JDK's state (volatile) and then reads `state`, the
   * carrier writes RESUMING and then reads the JDK's state: Dekker. On the fast path the carrier's store is not fenced: when the
   * run mounted nothing, it fences and runs again. If the second run fails too, the dumper restores after the fence, hence
   * reads RESUMING and posts. Without the fence both may miss: mutant NoFenceAfterLostRun. (c) a stale RESUMING or HOSTING
   * read by a dumper costs one post, which the scheduler drops by the state it then sees (I3).
   *
   * Cost. One mount and one unmount a switch. A first guest: one thread creation; later guests of the same context: no switch
   * when one is ready, else one. Foreign wake-up: two CAS.
   *
   * Rejected. park/unpark for our own waits: 30 % more, and the permit is visible to user code. A raw Continuation: a yield
   * inside `synchronized` hangs, locks and locals leak between coroutines. Volatile `state`: 6 ns a switch for a case that only
   * exists while somebody dumps threads.
   *
   * Sources. DESIGN facts 1, 4, 5, 7; promises T1, T4, T9; traps 38, 43, 59, 60, 62, 66.
   */
  private static final int CREATED = 0;
  private static final int HOSTING = 1;
  private static final int SUSPENDED = 2;
  private static final int RESUMING = 3;
  private static final int ENDED = 4;

  private final ContextPool pool;
  private final @Nullable ContextKeeper keeper; // null: it serves whoever comes
  private final Thread thread;

  // written once, by the first execute(), on the carrier
  private @Nullable Runnable task;

  // carrier and mounted guest; racy reads from execute()
  private int state = CREATED;

  // carrier and mounted guest
  private @Nullable Hosted guest;

  // carrier, which alone writes it; another thread's read of it changes nothing
  private boolean interrupting;

  ExecutionContext(ContextPool pool, @Nullable ContextKeeper keeper) {
    this.pool = pool;
    this.keeper = keeper;
    this.thread = VirtualThreads.create(this, this);
  }

  /// The context of the current thread, or null on any other thread (also one born inside a
  /// coroutine).
  public static @Nullable ExecutionContext current() {
    Thread thread = Thread.currentThread();
    return VirtualThreads.schedulerOf(thread) instanceof ExecutionContext context
            && context.thread == thread
        ? context
        : null;
  }

  /// The thread that guests see as their own.
  public Thread thread() {
    return thread;
  }

  /// The loop this context belongs to.
  public ContextHost host() {
    return pool.host();
  }

  /// The coroutine that runs or waits here; null at rest.
  public @Nullable Hosted guest() {
    return guest;
  }

  /// Who keeps it for guests of one kind; null: nobody does.
  public @Nullable ContextKeeper keeper() {
    return keeper;
  }

  /// Whether the JDK decides when this context goes on: it runs user code, or waits on something of
  /// the JDK's.
  public boolean isHosting() {
    return state == HOSTING;
  }

  /// Whether the JDK has parked it, and has let it go on no more: also false where a dump of its
  /// stack, or another thread, is about to.
  public boolean isParked() {
    return isHosting() && !isPosted() && thread.getState() != Thread.State.RUNNABLE;
  }

  /// Whether it waits for its next guest.
  boolean isAtRest() {
    return guest == null && state == SUSPENDED;
  }

  /// Whether a resume of ours is still to happen.
  public boolean isResumePending() {
    return state == RESUMING;
  }

  /// The frames of its guest, the innermost first. On the carrier, or on the stack of a coroutine
  /// mounted there: nothing is being resumed then, so the look does no harm (Memory order, b).
  public StackTraceElement[] stackOnLoop() {
    return thread.getStackTrace();
  }

  // ---- carrier ----

  /// Lets `next` take this resting context at the coming [#mount()].
  public void admit(@Nullable Hosted next) {
    guest = next;
  }

  /// Runs the context until it waits, rests or ends.
  ///
  /// @return false when the JDK did not mount it, because somebody is looking at its stack: the
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

  /// Interrupts the wait that the JDK has parked its guest in, if an interrupt ends that wait, and
  /// unless the JDK has let the guest go on meanwhile.
  public ForeignWaits.End endForeignWait() {
    if (!isParked() || !ForeignWaits.endByInterrupt(this)) {
      return ForeignWaits.End.GOES_ON;
    }
    boolean inDoubt = ForeignWaits.takesFromOthers(thread);
    interrupting = true;
    thread.interrupt(); // calls execute() here, unless another thread has unparked it by now
    boolean ours = !interrupting;
    interrupting = false;
    if (!ours) {
      return endUnlessFirst();
    }
    return inDoubt ? ForeignWaits.End.IN_DOUBT : ForeignWaits.End.BY_INTERRUPT;
  }

  /// What becomes of a wait that was interrupted when others may end it before it has run.
  public ForeignWaits.End endUnlessFirst() {
    return ForeignWaits.endsForSure(stackOnLoop())
        ? ForeignWaits.End.FELT
        : ForeignWaits.End.UNDECIDED;
  }

  /// Whether an interrupt ends the wait that the JDK has parked its guest in.
  public boolean isInterruptible() {
    return ForeignWaits.endByInterrupt(this);
  }

  /// The loop is over: whatever still runs here goes on with the JDK's default scheduler.
  public void abandon() {
    readmit();
    Runnable own = task;
    if (state == SUSPENDED) {
      // its next call into Heddle fails
      state = RESUMING;
    }
    if (own != null && (state == HOSTING || state == RESUMING)) {
      VirtualThreads.defaultScheduler().execute(own);
    }
  }

  /// Looks at what a mount will touch first.
  ///
  /// @return a number that says nothing
  public int look() {
    return state + VirtualThreads.look(thread) + (task instanceof Thread ? 1 : 0);
  }

  private void runTask() {
    Runnable own = task;
    if (own == null) {
      throw new IllegalStateException(
          "the JDK started " + thread + " without handing its task to the scheduler");
    }
    own.run();
  }

  /// The JDK says that a guest in a foreign wait may go on, or that a pending resume may be tried
  /// again.
  @Override
  public void arrive() {
    pool.arrived(this);
  }

  // ---- any thread ----

  @Override
  public void execute(Runnable command) {
    Runnable own = task;
    if (own == null) {
      // Thread.start hands over the task before anybody else can know the thread
      task = command;
      state = HOSTING;
      return;
    }
    if (command != own) {
      VirtualThreads.defaultScheduler().execute(command);
      return;
    }
    // safe: a stale state costs a dropped arrival or is repaired by mount(), see Memory order
    int seen = state;
    if (seen == HOSTING || seen == RESUMING) {
      arriveSoon(command);
    }
  }

  private void arriveSoon(Runnable own) {
    ExecutionContext waker = current();
    if (waker != null && waker.pool == pool && !host().hasEnded()) {
      // a coroutine of the same loop wakes this one: nobody else touches the ready queue meanwhile
      if (claim()) {
        arrive();
      }
    } else {
      if (interrupting && host().isCarrier(Thread.currentThread()) && claim()) {
        interrupting = false; // our own interrupt lets the guest go on: the carrier resumes it
        return;
      }
      if (!host().inbox().post(this)) {
        // the loop has ended: whoever still waits here goes on elsewhere, every call into Heddle
        // fails
        VirtualThreads.defaultScheduler().execute(own);
      }
    }
  }

  // ---- the context's own thread ----

  /// Whether the guest's thread has been interrupted. An interrupt that comes later, while the
  /// guest waits for the loop, reaches [Hosted#interrupted()].
  public boolean isInterrupted() {
    InterruptHook.arm(thread);
    return thread.isInterrupted();
  }

  /// Gives the carrier back until the next [#mount()].
  ///
  /// @return false when the frame is pinned and nothing happened
  public boolean suspend() {
    state = SUSPENDED;
    try {
      Thread.yield();
    } catch (Throwable e) {
      // the stack ended inside the JDK's yield: the guest has not left
      state = HOSTING;
      throw e;
    }
    boolean resumed = state == RESUMING;
    state = HOSTING;
    return resumed;
  }

  /// The thread's body.
  @Override
  public void run() {
    try {
      if (keeper == null) {
        runGuests();
      } else {
        keeper.frame(this::runGuests);
      }
    } catch (Throwable e) {
      host().broken(this, e);
    } finally {
      state = ENDED;
    }
  }

  private void runGuests() {
    Hosted first = guest;
    if (first != null) {
      first.runOn(bequeath(first));
    }
  }

  // what the spawner's thread leaves to the guest's
  private ExecutionContext bequeath(Hosted to) {
    VirtualThreads.inherit(thread, to.inheritance(), pool.loader());
    return this;
  }

  /// The guest after the one that has just ended; the context may rest in between.
  ///
  /// @return null when the context is to end
  public @Nullable Hosted nextGuest() {
    guest = null;
    if (keeper != null) {
      return nextKept(keeper);
    }
    if (!pool.reuses()) {
      pool.leave(); // the thread ends, and keeps its name and its interrupt for whoever holds it
      return null;
    }
    VirtualThreads.reset(thread);
    Hosted next = host().nextOn(this);
    if (next != null) {
      guest = next;
    } else if (pool.rest(this)) {
      suspend();
      // what was sent to the last guest and came too late is not the next one's
      VirtualThreads.reset(thread);
      next = guest;
    }
    if (next != null) {
      bequeath(next);
    }
    return next;
  }

  private @Nullable Hosted nextKept(ContextKeeper keptBy) {
    VirtualThreads.settle();
    if (pool.isClosed()) {
      return null; // its loop may have abandoned it: nothing of the loop's is touched
    }
    if (!keptBy.guestEnded()) {
      pool.keptNoMore(this);
      return null;
    }
    suspend();
    VirtualThreads.settle();
    return guest;
  }
}
