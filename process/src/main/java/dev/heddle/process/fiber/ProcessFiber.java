// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.scheduler.context.NonCoroutineThread;
import dev.heddle.scheduler.context.VirtualThreads;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A stack that moves between workers: a virtual thread whose scheduler is this object, and which
/// runs within the steps of its process, on the worker of the step.
public final class ProcessFiber implements Executor, NonCoroutineThread {
  /*
   * The JDK has the state of the virtual thread. This class has the state that decides who may
   * resume it: the JDK (locks, queues, sockets, yields of the body) or the process (`receive` and
   * `execute`).
   *
   * States.  from       event                         to         actor, order
   *          CREATED    start()                       ACTIVE     step: Thread.start passes the
   *                                                             thread's task to execute(); then
   *                                                             it is run
   *          ACTIVE     suspend()                     SUSPENDED  body: store, then Thread.yield
   *          SUSPENDED  yield returned (pinned)       ACTIVE     body: it was not resumed
   *          SUSPENDED  resume()                      RESUMING   step: store, then task.run
   *          RESUMING   yield returned                ACTIVE     body, first action
   *          ACTIVE     body ended                    ENDED      body, last action
   *
   * An execute() of the fiber's own task means, by state: SUSPENDED: our own yield, or a thread
   * dump of a fiber that waits for the process; nothing to do. ACTIVE: a JDK wait is over.
   * RESUMING: a thread dump held the thread when we resumed it, and now releases it. In both cases
   * it becomes `resumable`, and the process is woken, whose next step runs it. ENDED: nothing to
   * do. An execute() of another task comes from a thread that the body has created and that
   * inherited its scheduler; the JDK's default scheduler runs it.
   *
   * The scheduler counts resumable fibers, to decide whether it needs compensating workers. So
   * `resumable` is exchanged, and cleared where no run will follow: at the end, and at the
   * detachment.
   *
   * A run that mounts nothing is harmless, since the JDK checks the thread's state first. So
   * `resumable` may be set once too often, never too seldom.
   *
   * The end from outside. unwind() resumes a body that waits for the process, which then throws,
   * and interrupts one that waits for the JDK. The body then runs on this worker until it waits,
   * for at most ROUNDS yields. A body that has still not ended is detached: from then on the JDK's
   * default scheduler runs it, so that it holds no worker and its clean-up is not lost. A detached
   * body never suspends for the process.
   *
   * Fairness. A body that keeps calling the runtime without a wait (it sends, starts processes,
   * receives what is there) yields after BUDGET_NANOS on its worker; the clock is read at every
   * 16th call. The yield is the JDK's: the body is resumable at once, and its process goes to the
   * tail of the queue when its run has lasted its time. A body that only computes is not
   * interrupted.
   *
   * Threads. execute(): any, also on the carrier of another virtual thread. suspend(): the body.
   * The rest: steps of the process.
   *
   * I1. The body runs within a step of its process, until it is detached. [CoroutineProcessTest]
   * I2. A JDK wait that is over leads to a step: `resumable` is set, then the process is woken; the
   *     step reads `resumable` after it has begun. [CoroutineProcessTest, Task I2]
   * I3. An execute() never resumes a body that waits for the process. [CoroutineProcessTest]
   *
   * Memory order. The fields `state`, `resumable` and `detached` are volatile. Detaching: the step
   * stores `detached`, then clears `resumable`; execute() sets `resumable`, then reads `detached`.
   * At least one of them sees the other's write; if both do, both pass the thread on, which is
   * harmless. A lost resume cannot happen: RESUMING is stored before task.run reads the JDK's
   * state; the thread dump restores that state before it calls execute(), which therefore reads
   * RESUMING.
   *
   * Cost. One mount and one unmount for each run. A waiting body keeps its frames and no thread.
   *
   * Rejected. LockSupport.park for our own waits: more expensive, and the permit is visible to the
   * body. The loop's ExecutionContext: it belongs to one carrier. Waiting in close() for the
   * clean-up of a body: it would hold a worker.
   *
   * Sources. trap-59, trap-60, trap-61, trap-66; the essay of ExecutionContext.
   */
  private static final int CREATED = 0;
  private static final int ACTIVE = 1;
  private static final int SUSPENDED = 2;
  private static final int RESUMING = 3;
  private static final int ENDED = 4;

  private static final VarHandle RESUMABLE =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "resumable", VarHandle.class, ProcessFiber.class, boolean.class);

  private static final int CALLS_PER_CLOCK_READ = 16; // as a run has steps
  private static final int MAX_FRAMES = 1_000; // counting them takes as long as the budget
  private static final long BUDGET_NANOS = 200_000; // the same as that of a run

  private static final int ROUNDS = 16; // yields of a body at its end, before it is detached

  private final @Nullable WorkScheduler scheduler;
  private final Thread thread;
  private final Runnable wake;
  private final String name;

  // set by the worker around each run; read by the body, which is on the same thread then
  private @Nullable Worker carrier;

  // the body and the step that runs it, which are one thread
  private int calls; // of the runtime, since the last read of the clock
  private long budgetEnds; // of this mount; 0 before the first read of the clock

  // written once, by the first execute(), on the worker that starts the thread
  private volatile @Nullable Runnable task;

  // steps and the body, which are one thread of execution; read by execute()
  private volatile int state = CREATED;

  // set by execute(), cleared by steps; both by an exchange, since it is counted
  @SuppressWarnings("FieldMayBeFinal") // through RESUMABLE
  private volatile boolean resumable;

  // written once, by the last step
  private volatile boolean detached;

  // written by the body; read by reports
  private volatile @Nullable Awaited awaited;

  // written once, before the body is unwound; read by the body
  private volatile boolean unwinding;

  /// @param name for reports
  /// @param body must not throw
  /// @param wake makes the process take a step; from any thread
  /// @throws IllegalStateException when the JVM was started without the options that it needs
  public ProcessFiber(String name, Runnable body, Runnable wake) {
    String problem = VirtualThreads.problem();
    if (problem != null) {
      throw new IllegalStateException(problem);
    }
    Worker worker = WorkerThread.currentWorker();
    this.scheduler = worker == null ? null : worker.scheduler();
    this.name = name;
    this.wake = wake;
    this.thread =
        VirtualThreads.create(
            this,
            () -> {
              try {
                body.run();
              } finally {
                state = ENDED;
              }
            });
    thread.setName(name);
  }

  /// Must be called before the first fiber is created. The JDK starts helper threads with its first
  /// virtual thread: they must not inherit a fiber as their scheduler, nor hold a worker. And the
  /// classes that a yield needs must not be initialised at the end of a stack, where that would
  /// fail for good.
  public static void prepare() {
    if (VirtualThreads.problem() == null) {
      VirtualThreads.warmUp();
      var _ = isDeep();
    }
  }

  public static boolean isCurrent() {
    return of(Thread.currentThread()) != null;
  }

  /// Whether the current thread is a detached fiber: its process has ended or continues without it.
  public static boolean isDetached() {
    ProcessFiber body = of(Thread.currentThread());
    return body != null && body.detached;
  }

  /// The worker on which the current thread runs as a fiber, or null. Valid until it waits.
  public static @Nullable Worker carrier() {
    ProcessFiber body = of(Thread.currentThread());
    return body == null ? null : body.carrier;
  }

  /// Like [#carrier], for a call that a body may repeat without a wait: yields first when its
  /// budget is spent.
  public static @Nullable Worker carrierOfCall() {
    ProcessFiber body = of(Thread.currentThread());
    if (body == null) {
      return null;
    }
    body.yieldIfBudgetSpent();
    return body.carrier;
  }

  private static @Nullable ProcessFiber of(Thread thread) {
    return thread.isVirtual()
            && VirtualThreads.problem() == null
            && VirtualThreads.schedulerOf(thread) instanceof ProcessFiber body
            && body.thread == thread
        ? body
        : null;
  }

  public boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  // ---- within steps ----

  /// Starts it and runs it until it waits or ends.
  public void start() {
    thread.start();
    runTask();
  }

  /// Resumes it after its own wait.
  public void resume() {
    state = RESUMING;
    runTask();
  }

  /// Whether a JDK wait of it is over, and it has not run since.
  public boolean isResumable() {
    return resumable;
  }

  /// Resumes it after a JDK wait.
  public void runIfResumable() {
    if (resumable) {
      runTask();
    }
  }

  private void runTask() {
    Runnable own = task;
    if (own == null) {
      throw new IllegalStateException(
          "the JDK started " + thread + " without handing its task to the scheduler");
    }
    var _ = claimResumable();
    budgetEnds = 0;
    Worker worker = WorkerThread.currentWorker();
    if (worker == null) {
      calls = 0;
      own.run();
      return;
    }
    calls = worker.callsAtBudgetRead();
    carrier = worker;
    try {
      worker.runMounted(thread, own);
    } finally {
      carrier = null; // before the step ends: a fiber detached in it has no worker
      if (state == ENDED) {
        var _ = claimResumable(); // a wait may lead to several execute() calls
      }
    }
  }

  /// Counts first: a stack overflow in between leaves the count too high, which is harmless.
  private void markResumable() {
    if (scheduler != null) {
      scheduler.fiberResumable();
    }
    if ((boolean) RESUMABLE.getAndSet(this, true) && scheduler != null) {
      scheduler.fiberResumed();
    }
  }

  private boolean claimResumable() {
    boolean was = (boolean) RESUMABLE.getAndSet(this, false);
    if (was && scheduler != null) {
      scheduler.fiberResumed();
    }
    return was;
  }

  /// Clears the flag while it waits for the process: an execute() belongs to an earlier wait.
  public void clearResumable() {
    var _ = claimResumable();
  }

  public boolean isSuspended() {
    return state == SUSPENDED;
  }

  public boolean isEnded() {
    return state == ENDED;
  }

  /// Ends it, see the essay. Called once, by the last step.
  public void unwind() {
    unwinding = true;
    if (state == CREATED || state == ENDED) {
      return;
    }
    if (state == SUSPENDED) {
      resume();
    } else {
      thread.interrupt();
    }
    for (int i = 0; i < ROUNDS && resumable && state != ENDED; i++) {
      runTask();
    }
    if (state != ENDED) {
      detached = true;
      if (claimResumable()) {
        VirtualThreads.defaultScheduler().execute(Objects.requireNonNull(task));
      }
    }
  }

  /// Whether its process has ended or replaced it.
  public boolean isUnwinding() {
    return unwinding;
  }

  // ---- the body ----

  /// Releases the worker until the next [#resume()].
  ///
  /// @return false when a frame is pinned and nothing has happened
  public boolean suspend() {
    state = SUSPENDED;
    try {
      Thread.yield();
    } catch (Throwable e) {
      state = ACTIVE; // the stack ended inside the JDK's yield: the body has not left
      throw e;
    }
    boolean resumed = state == RESUMING;
    state = ACTIVE;
    return resumed;
  }

  /// Called by the body at each call of the runtime that need not wait. Yields to other processes
  /// when this mount has used its budget.
  public void yieldIfBudgetSpent() {
    if (++calls >= CALLS_PER_CLOCK_READ) {
      Worker on = carrier;
      calls = on == null ? 0 : on.callsAtBudgetRead();
      long now = on == null ? System.nanoTime() : on.budgetNanos();
      if (budgetEnds == 0) {
        budgetEnds = (now + BUDGET_NANOS) | 1; // never 0, which means: not set
      } else if (now - budgetEnds >= 0) {
        budgetEnds = 0; // before the yield, which returns at once when a frame is pinned
        if (!isDeep()) {
          Thread.yield();
        }
      }
    }
  }

  /// Whether it has so many frames that it may be an endless recursion. Such a recursion must reach
  /// the end of the stack: each yield moves its frames to the heap and continues on an empty stack,
  /// so it would fill the heap instead.
  private static boolean isDeep() {
    try {
      return StackWalker.getInstance()
          .walk(frames -> frames.skip(MAX_FRAMES).findAny().isPresent());
    } catch (StackOverflowError | InternalError _) {
      return true; // safe: the walk has met the end of the stack; the JDK may wrap that error
    }
  }

  /// Records that the current body begins to wait for another process, by a wait of the JDK;
  /// [#endWait] must follow. Does nothing on another thread.
  public static void beginWait(Awaited wait) {
    ProcessFiber body = of(Thread.currentThread());
    if (body != null) {
      body.awaited = wait;
      if (body.scheduler != null) {
        body.scheduler.taskMayWait(); // after the write, which the detector reads later
      }
    }
  }

  public static void endWait() {
    ProcessFiber body = of(Thread.currentThread());
    if (body != null) {
      body.awaited = null;
    }
  }

  // ---- any thread ----

  /// The wait of the body for another process, by a wait of the JDK; or null.
  public @Nullable Awaited awaited() {
    return awaited;
  }

  /// Whether it is in a timed wait of the JDK.
  public boolean isInTimedWait() {
    return thread.getState() == Thread.State.TIMED_WAITING;
  }

  /// Its stack, innermost frame first; while it waits for its process, without the frames of that
  /// wait.
  StackTraceElement[] stack() {
    boolean suspended = state == SUSPENDED;
    StackTraceElement[] stack = thread.getStackTrace();
    int own = 0;
    while (suspended && own < stack.length && !stack[own].getMethodName().equals("suspend")) {
      own++;
    }
    return own + 2 < stack.length ? Arrays.copyOfRange(stack, own + 2, stack.length) : stack;
  }

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
      VirtualThreads.defaultScheduler().execute(command);
      return;
    }
    int seen = state;
    if (seen != ACTIVE && seen != RESUMING) {
      return;
    }
    markResumable();
    if (detached) {
      var _ = claimResumable();
      VirtualThreads.defaultScheduler().execute(own);
    } else if (state == ENDED) {
      var _ = claimResumable();
    } else {
      wake.run();
    }
  }

  @Override
  public @Nullable String alternativeFor(Thread asked) {
    return asked != thread
        ? null
        : "in the body of "
            + name
            + ", which no loop runs; there receive() and execute() wait, sleep() replaces"
            + " Heddle.delay(), and execute(Commands.onLoop(() -> ...)) does on a loop what only a"
            + " loop can do";
  }
}
