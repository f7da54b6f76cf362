// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.scheduler.context.NonCoroutineThread;
import dev.heddle.scheduler.context.VirtualThreads;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A stack that moves between workers: a virtual thread whose scheduler is this object, and that
/// runs within the steps of its process, on the worker that makes the step.
public final class ProcessFiber implements Executor, NonCoroutineThread {
  /*
   * The JDK keeps the state of the virtual thread; this class keeps who may resume it: the JDK
   * (locks, queues, sockets, yields of the body's) or the process (receive and call).
   *
   * States.  from       event                         to         who, order
   *          CREATED    start()                       ACTIVE    step: Thread.start hands us the
   *                                                             thread's task; then it is run
   *          ACTIVE    suspend()                     SUSPENDED  body: store, then Thread.yield
   *          SUSPENDED  yield returned (pinned)       ACTIVE    body: nobody has resumed it
   *          SUSPENDED  resume()                      RESUMING   step: store, then task.run
   *          RESUMING   yield returned                ACTIVE    body, first thing
   *          ACTIVE    body ended                    ENDED      body, last thing
   *
   * What execute(own task) means: SUSPENDED: our own yield, or a thread dump of one that waits for
   * the process: nothing. ACTIVE: a JDK wait is over. RESUMING: a thread dump had the thread in
   * its hands when we resumed it, and lets go. In both it is `resumable`, and the process is woken,
   * whose next step runs it. ENDED: nothing. execute(another task): a thread that was born inside
   * and inherited its scheduler; the JDK's own runs it.
   *
   * The scheduler counts bodies that are due, so that it knows whether somebody has to be run
   * beside its workers (Spares). So `resumable` is exchanged, and taken back where no run will
   * follow: at the end, and at the detachment.
   *
   * A run that mounts nothing is harmless: the JDK looks at the thread's state first. So
   * `resumable` may be set once too often, never too seldom.
   *
   * The end from outside. unwind() resumes a body that waits for the process, which then throws;
   * it interrupts one that waits for the JDK. Both run on this worker while they do not wait, and
   * at most ROUNDS yields. What still has not ended is detached: from then on the JDK's own
   * scheduler runs it, so that no worker waits for it and its clean-up is not lost. A detached
   * body never suspends for the process.
   *
   * Fairness. A body that calls the runtime again and again without a wait (it sends, it starts
   * others, it receives what is there) yields when it has had its worker for BUDGET_NANOS, which a
   * look at the clock with each 16th call says. The yield is the JDK's: the body is due at once,
   * and its process goes to the tail of the FIFO when its run has lasted its time. A body that
   * only computes is not cut.
   *
   * Threads. execute(): any, also on the carrier of another virtual thread. suspend(): the body.
   * Everything else: steps of the process.
   *
   * I1. The body runs within a step of its process, until it is detached. [CoroutineProcessTest]
   * I2. A JDK wait that is over leads to a step: due, then wake; the step reads due after it has
   *     begun. [CoroutineProcessTest, Task I2]
   * I3. An execute() never resumes a body that waits for the process. [CoroutineProcessTest]
   *
   * Memory order. All three fields are volatile. Detaching: the step stores `detached`, then takes
   * `resumable`; execute() sets `resumable`, then reads `detached`: one of them sees the other's,
   * and both may hand the thread over, which is harmless. A lost resume: RESUMING is stored before
   * task.run reads the JDK's state; the dumper restores that state before it calls execute(), which
   * therefore reads RESUMING.
   *
   * Cost. One mount and one unmount for each run. The body of a process that waits holds its
   * frames and no thread.
   *
   * Rejected. LockSupport.park for our own waits: dearer, and the permit is visible to the body.
   * The loop's ExecutionContext: it belongs to one carrier. Waiting in close() for a body's
   * clean-up: it would hold a worker.
   *
   * Sources. trap-59, trap-60, trap-61, trap-66; the essay of ExecutionContext.
   */
  private static final int CREATED = 0;
  private static final int ACTIVE = 1;
  private static final int SUSPENDED = 2;
  private static final int RESUMING = 3;
  private static final int ENDED = 4;

  private static final VarHandle RESUMABLE;

  static {
    try {
      RESUMABLE =
          MethodHandles.lookup().findVarHandle(ProcessFiber.class, "resumable", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int CALLS_PER_CLOCK_READ = 16; // at the clock: as a run has steps
  private static final int MAX_FRAMES = 1_000; // frames: to count them takes as long as the budget
  private static final long BUDGET_NANOS = 200_000; // the same as that of a run

  private static final int ROUNDS = 16; // yields of a body that is unwound, before it is detached

  private final @Nullable WorkScheduler scheduler;
  private final Thread thread;
  private final Runnable wake;
  private final String name;

  // the worker, around each run; read by the body, which is on the same thread then
  private @Nullable Worker carrier;

  // the body, and the step that runs it: one thread
  private int calls; // of the runtime, since the last look at the clock
  private long budgetEnds; // of this mount; 0 before its first look

  // written once, by the first execute(), on the worker that starts the thread
  private volatile @Nullable Runnable task;

  // steps and the body, which are one thread of execution; read by execute()
  private volatile int state = CREATED;

  // set by execute(), taken back by steps; both by an exchange, since it is counted
  @SuppressWarnings("FieldMayBeFinal") // through RESUMABLE
  private volatile boolean resumable;

  // written once, by the last step
  private volatile boolean detached;

  // the body; read for reports
  private volatile @Nullable Awaited awaited;

  // written once, before the body is unwound; read by it
  private volatile boolean unwinding;

  /// A thread that has not begun.
  ///
  /// @param name for reports
  /// @param body must not throw
  /// @param wake makes the process take a step; from any thread
  /// @throws IllegalStateException when the JVM was started without what that takes
  public ProcessFiber(String name, Runnable body, Runnable wake) {
    String problem = VirtualThreads.problem();
    if (problem != null) {
      throw new IllegalStateException(problem);
    }
    Worker worker = Worker.current();
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

  /// To be called before the first body: what the JDK starts with its first virtual thread is
  /// neither to inherit a body's scheduler nor to hold a worker; and what a body initialises when
  /// it gives way is not to be initialised at the end of a stack, where that fails for good.
  public static void prepare() {
    if (VirtualThreads.problem() == null) {
      VirtualThreads.warmUp();
      var _ = isDeep();
    }
  }

  /// Whether the current thread is that of a body.
  public static boolean isCurrent() {
    return of(Thread.currentThread()) != null;
  }

  /// Whether the current thread is that of a body which was to end, and goes on beside its process:
  /// what takes its place may run meanwhile.
  public static boolean isDetached() {
    ProcessFiber body = of(Thread.currentThread());
    return body != null && body.detached;
  }

  /// The worker in whose step the current thread runs as a body, or null. Holds until it waits.
  public static @Nullable Worker carrier() {
    ProcessFiber body = of(Thread.currentThread());
    return body == null ? null : body.carrier;
  }

  /// The same, for a call that a body may make again and again without a wait: when it has had its
  /// worker for long enough, others have their turn before.
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

  /// Whether this is the current thread.
  public boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  // ---- within steps ----

  /// Starts it, and runs it until it waits or has ended.
  public void start() {
    thread.start();
    runTask();
  }

  /// Lets it go on after its own wait.
  public void resume() {
    state = RESUMING;
    runTask();
  }

  /// Whether the JDK says that it may go on, and it has not.
  public boolean isResumable() {
    return resumable;
  }

  /// Lets it go on when the JDK says that it may.
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
    calls = 0;
    budgetEnds = 0;
    Worker worker = Worker.current();
    if (worker == null) {
      own.run();
      return;
    }
    carrier = worker;
    try {
      worker.runMounted(thread, own);
    } finally {
      carrier = null; // before the step ends: a body that is detached in it has none
      if (state == ENDED) {
        var _ = claimResumable(); // there was more than one execute() for a wait
      }
    }
  }

  /// Counted first: where the stack ends in between, there is one too many, which does no harm.
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

  /// It waits for the process: what the JDK has said late, of a wait before that, is forgotten.
  public void clearResumable() {
    var _ = claimResumable();
  }

  /// Whether it waits for the process.
  public boolean isSuspended() {
    return state == SUSPENDED;
  }

  /// Whether its body has ended.
  public boolean isEnded() {
    return state == ENDED;
  }

  /// Ends it as the essay says. To be called once, by the last step.
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

  /// Whether its process has ended before it.
  public boolean isUnwinding() {
    return unwinding;
  }

  // ---- the body ----

  /// Gives the worker back until the next [#resume()].
  ///
  /// @return false when a frame is pinned, and nothing has happened
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

  /// To be called by the body with each call of the runtime that need not wait. It yields to others
  /// when this mount has lasted its time.
  public void yieldIfBudgetSpent() {
    if (++calls >= CALLS_PER_CLOCK_READ) {
      calls = 0;
      long now = System.nanoTime();
      if (budgetEnds == 0) {
        budgetEnds = (now + BUDGET_NANOS) | 1; // 0 says: none yet
      } else if (now - budgetEnds >= 0) {
        budgetEnds = 0; // also where the frames below are pinned: then it goes on
        if (!isDeep()) {
          Thread.yield();
        }
      }
    }
  }

  /// Whether it has so many frames that it may be a recursion without end. Such a one is to meet
  /// the end of the stack: a yield would give it an empty one, and so the heap in place of the
  /// stack.
  private static boolean isDeep() {
    try {
      return StackWalker.getInstance()
          .walk(frames -> frames.skip(MAX_FRAMES).findAny().isPresent());
    } catch (StackOverflowError | InternalError _) {
      return true; // safe: the walk has met the end of the stack, which the JDK may wrap
    }
  }

  /// The current body is about to wait for another process, in a wait of the JDK; [#endWait] is to
  /// follow. Does nothing on another thread.
  public static void beginWait(Awaited wait) {
    ProcessFiber body = of(Thread.currentThread());
    if (body != null) {
      body.awaited = wait;
      if (body.scheduler != null) {
        body.scheduler.taskMayWait(); // after the write: who takes that back looks at it later
      }
    }
  }

  /// The wait is over.
  public static void endWait() {
    ProcessFiber body = of(Thread.currentThread());
    if (body != null) {
      body.awaited = null;
    }
  }

  // ---- any thread ----

  /// The process that it waits for in a wait of the JDK, and what for; or null.
  public @Nullable Awaited awaited() {
    return awaited;
  }

  /// Where it is, the innermost frame first; of one that waits for its process without the frames
  /// of how it does.
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
      // Thread.start hands over the task before anybody else can know the thread
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
            + ", which no loop runs; there receive() and call() wait, sleep() stands for"
            + " Heddle.delay(), and call(Commands.onLoop(() -> ...)) does on a loop what only a"
            + " loop can do";
  }
}
