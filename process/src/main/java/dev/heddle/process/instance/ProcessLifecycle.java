// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.StackGuard;
import dev.heddle.internal.VarHandles;
import dev.heddle.process.Exit;
import dev.heddle.process.LinkedExitException;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessExitException;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.ProcessTerminatedException;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerThread;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A task with an end, which is decided once and announced once.
public abstract class ProcessLifecycle extends Task implements ProcessLinks.Owner {
  /*
   * States.  from      event                        to        actor, order
   *          LIVES     its code is done or throws   DECIDED   its worker: CAS on `ending`
   *          LIVES     end(), a shutdown            DECIDED   any thread: CAS; the winner wakes it
   *          LIVES     a linked process has ended,  DECIDED   the worker of that process: CAS under
   *                    exits are not trapped                  the lock of the links of this one;
   *                                                           then wakes it
   *          LIVES     completed(): the step had    DECIDED   its worker: CAS
   *                    no memory to decide
   *          DECIDED   any of these                 DECIDED   none: the first decision counts
   *          DECIDED   completed(), refuse()        NOTIFIED  its worker, or the thread that could
   *                                                           not start it: finish()
   *          DECIDED   abandon()                    NOTIFIED  a shutdown at its deadline: announces
   *                                                           the exit; completed() does the rest
   *          NOTIFIED  completed()                  NOTIFIED  its worker: finish()
   *
   * A worker reads `ending` before each step. So a running step is never interrupted, and a process
   * that waits ends at once.
   *
   * finish() does in this order:
   *   closeCode()     closes the code and abandons its commands, whose results no step would get
   *   closeMailbox()  later sends fail; what is left in the mailbox is counted
   *   releaseSlot()   frees the slot before the exit is visible: an observer of the exit can start
   *                   another process
   *   notifyExit()    notifies links, monitors, names and listeners, then calls exitNotified(): the
   *                   host removes it from its table last, so its number is found until then
   *   clear()         drops the reference to the code; last: an observer may ask for its class
   *
   * The decision stores an object that exists already, since memory may be missing: the Throwable,
   * or the exit of the linked process. Its own exit is made of that when it is announced.
   *
   * Traps. The setting at the moment at which an end arrives decides. A LinkDown that is on its way
   * then is delivered even if the process has stopped trapping since; a decided end is not revoked
   * by a later trap.
   *
   * Most processes have no links or listeners, and none are created at the end: `processLinks` then
   * holds the exit, for later requests.
   *
   * I1. Each of these actions happens once. Task calls completed() once, and never for a process
   *     that was refused, which is in no queue and so never runs; ProcessLinks records that it has
   *     notified. [LifeTest, RuntimeShutdownTest]
   * I2. An observer of the exit finds the slot free: it is released before the volatile write that
   *     makes the exit visible, here or in ProcessLinks. An abandoned process keeps its slot until
   *     its worker comes; no process is started any more then. [HostTest]
   *
   * P1, P13; proc-60 to proc-76, proc-208, proc-209, proc-215.
   */
  private static final VarHandle ENDING = VarHandles.find(lookup(), "ending", Object.class);
  private static final VarHandle PROCESS_LINKS =
      VarHandles.find(lookup(), "processLinks", Object.class);
  private static final VarHandle NOTIFYING = VarHandles.find(lookup(), "notifying", boolean.class);

  /// The cause of an exit when a step has thrown and memory was missing to record what: the JVM
  /// links code when it is first reached, and needs memory for that.
  @SuppressWarnings("StaticAssignmentOfThrowable") // no memory to create one then
  private static final Throwable UNDECIDED =
      new OutOfMemoryError("a step has failed, and memory was missing to record why");

  final ProcessEnvironment host;

  // written by the process, read by the thread that ends a link
  private volatile boolean trapsExits;

  // written by the process, read by its connections to other nodes
  private volatile boolean trapsUndelivered;

  // written by its starter before the first step; read at its end
  private boolean announced;

  // the worker of its end: its progress
  private boolean isCodeClosed;
  private boolean isSlotReleased;
  private boolean isNotifier;

  // its worker or a shutdown, CAS: the winner announces the exit
  @SuppressWarnings("unused") // through NOTIFYING
  private volatile boolean notifying;

  // written by a shutdown, read by senders
  private volatile boolean abandoned;

  // any thread, CAS
  private volatile @Nullable Object
      ending; // null; its exit, or that of a linked process; a Throwable
  private volatile @Nullable Object
      processLinks; // null until first used; ProcessLinks; or the Exit, if never used

  ProcessLifecycle(ProcessEnvironment host, QueuePriority queuePriority) {
    super(queuePriority);
    this.host = host;
  }

  // ---- for subclasses ----

  public final ProcessEnvironment host() {
    return host;
  }

  @Override
  public abstract Pid self();

  public final long id() {
    return self().id();
  }

  public abstract String kind();

  /// Delivers a signal before all messages.
  ///
  /// @return false when its mailbox is closed
  abstract boolean urgent(ProcessSignal signal);

  /// Delivers a signal after the messages that are in its mailbox.
  ///
  /// @return false when its mailbox is closed
  abstract boolean ordered(ProcessSignal signal);

  /// Closes its code and abandons its commands.
  abstract void closeCode();

  abstract void closeMailbox();

  /// Called when links, monitors, names and listeners have been notified.
  abstract void exitNotified(Exit exit);

  abstract void clear();

  // ---- waking ----

  /// Begins a wake-up, before something is published for this process: the worker, if there is one,
  /// records that it must complete the wake-up if a stack overflow interrupts it. [#endWakeUp] or
  /// [#cancelWakeUp] must follow.
  ///
  /// @return the worker in whose step the caller is; null on other threads, and in steps of other
  ///   runtimes, whose workers cannot complete it
  /// @throws StackOverflowError when there is no such worker and too little room on the stack
  final @Nullable Worker beginWakeUp(int why) {
    Worker here = WorkerThread.currentWorker();
    if (here == null) { // maybe a body: one that keeps sending yields here, before anything begins
      here = why == BY_MESSAGE ? ProcessFiber.carrierOfCall() : ProcessFiber.carrier();
    }
    if (here == null || here.scheduler() != host.scheduler()) {
      StackGuard.requireAmpleRoom();
      return null;
    }
    here.beginWakeUp(this, why);
    return here;
  }

  /// Wakes it for what was published since [#beginWakeUp].
  final void endWakeUp(int why, @Nullable Worker here) {
    host.scheduler().wake(this, why, here);
    if (here != null) {
      here.endWakeUp();
    }
  }

  public final void wakeUp() {
    endWakeUp(BY_COMMAND, beginWakeUp(BY_COMMAND));
  }

  /// Ends a wake-up for which nothing was published.
  static void cancelWakeUp(@Nullable Worker here) {
    if (here != null) {
      here.endWakeUp();
    }
  }

  /// The worker in whose step the caller is, or in whose step a body calls; or null.
  public static @Nullable Worker here() {
    Worker worker = WorkerThread.currentWorker();
    return worker != null ? worker : ProcessFiber.carrier();
  }

  // ---- deciding ----

  public final boolean isEnding() {
    return ending != null;
  }

  /// Its exit, when its end is decided.
  public final Exit ending() {
    Object seen = Objects.requireNonNull(ending);
    Exit made =
        switch (seen) {
          case Throwable thrown -> thrown(thrown);
          case Exit exit when exit.pid() != self() -> exitFrom(exit); // its own has its own PID
          default -> (Exit) seen;
        };
    return made == seen || ENDING.compareAndSet(this, seen, made) ? made : (Exit) ending;
  }

  private Exit thrown(Throwable thrown) {
    if (!(thrown instanceof ProcessExitException said)) {
      return new Exit(self(), Exit.Reason.FAILED, null, thrown);
    }
    Exit.Reason failure = said.isLinked() ? Exit.Reason.LINKED : Exit.Reason.FAILED;
    Exit.Reason reason = said.isShutdown() ? Exit.Reason.SHUTDOWN : failure;
    Throwable cause = said.isLinked() ? said.getCause() : said;
    return new Exit(self(), reason, null, cause, said.detail());
  }

  /// The exit that follows from that of a linked process.
  private Exit exitFrom(Exit of) {
    Exit.Reason reason = of.isFailure() ? Exit.Reason.LINKED : Exit.Reason.SHUTDOWN;
    return new Exit(self(), reason, null, LinkedExitException.after(of), of.detail());
  }

  /// Fails it with what it has thrown, unless its end is decided already. Needs no memory: the exit
  /// is made when it is announced.
  final void failWith(Throwable thrown) {
    var _ = ENDING.compareAndSet(this, null, thrown);
  }

  /// Runs this code once, for [ProcessInstance#preload].
  final void preloadDecision() {
    failWith(UNDECIDED);
    var _ = ending();
  }

  /// Ends it with its own exit, unless its end is decided already.
  final void endWith(Exit exit) {
    var _ = ENDING.compareAndSet(this, null, exit);
  }

  /// Ends it before its next step.
  ///
  /// @return false when its end was decided before
  public final boolean end(Exit.Reason reason, @Nullable Throwable cause) {
    return end(reason, cause, null);
  }

  private boolean end(Exit.Reason reason, @Nullable Throwable cause, @Nullable Object detail) {
    Worker here = beginWakeUp(BY_COMMAND);
    boolean isOurs =
        ENDING.compareAndSet(this, null, new Exit(self(), reason, null, cause, detail));
    endWakeUp(BY_COMMAND, here);
    return isOurs;
  }

  /// Terminates it.
  ///
  /// @return false when its end was decided before
  public final boolean terminate(String why) {
    return end(Exit.Reason.TERMINATED, new ProcessTerminatedException(why));
  }

  /// Asks it to end if it traps exits; ends it on purpose otherwise.
  ///
  /// @return whether it was asked
  public final boolean cancel(ProcessSignal.Cancel how) {
    if (trapsExits) {
      return urgent(how);
    }
    var _ = // false: its end was decided before
        end(
            Exit.Reason.SHUTDOWN,
            new ProcessTerminatedException("process cancelled: " + how.reason()));
    return false;
  }

  /// Requests its exit: by a signal if it traps exits; ends it on purpose otherwise.
  ///
  /// @return false when it has ended
  public final boolean requestExit(ProcessSignal.ExitRequest request) {
    if (trapsExits) {
      return ordered(request);
    }
    String by = request.from() == null ? "the program" : request.from().toString();
    return end(
        Exit.Reason.SHUTDOWN,
        new ProcessTerminatedException(by + " has asked it to end: " + request.detail()),
        request.detail());
  }

  public final void trapExits(boolean trap) {
    trapsExits = trap;
  }

  public final boolean trapsExits() {
    return trapsExits;
  }

  public final void trapUndelivered(boolean trap) {
    trapsUndelivered = trap;
  }

  public final boolean trapsUndelivered() {
    return trapsUndelivered;
  }

  // ---- announcing the exit ----

  @Override
  protected final void completed() {
    finish();
  }

  /// Closes it instead of starting it, and announces its exit to any observer it has meanwhile.
  public final void refuse(Throwable why) {
    failWith(why);
    try {
      finish();
    } catch (OutOfMemoryError _) {
      host.scheduler().finishLater(this); // a worker finishes it
    }
  }

  /// Runs the actions of the end, continuing after the last one that was completed.
  private void finish() {
    if (ending == null) {
      failWith(UNDECIDED);
    }
    if (!isCodeClosed) {
      finishPart(true);
      isCodeClosed = true;
    }
    if (!isSlotReleased) {
      finishPart(false);
      isSlotReleased = true;
      host.releaseSlot();
    }
    if (isNotifier || claimNotification()) { // else a shutdown announces the exit
      isNotifier = true;
      notifyExit(ending());
    }
    clear();
  }

  /// Runs a part of the end. Observers wait for it, so only an OutOfMemoryError stops it, and then
  /// it is tried again.
  private void finishPart(boolean leaves) {
    try {
      if (leaves) {
        closeCode();
      } else {
        closeMailbox();
      }
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Throwable t) {
      FailureLogger.logUnreported(self(), "a part of its end", t);
    }
  }

  /// Announces its exit without its worker, at the deadline of a shutdown. It is closed when its
  /// step returns or a worker comes to it, if ever.
  public final void abandon() {
    Exit exit = markAbandoned(false);
    if (exit != null) {
      notifyExit(exit);
    }
  }

  /// The first part of [#abandon]; it calls no listener.
  ///
  /// @return the exit to announce, by [#notifyExit]; null when it is announced already, or is being
  ///   announced
  public final @Nullable Exit markAbandoned(boolean inStep) {
    abandoned = true;
    // also wakes it, so that its worker reads `ending` when the step returns
    var _ = end(Exit.Reason.ABANDONED, new ProcessTerminatedException("abandoned in a step"));
    Exit decided = ending();
    Exit exit =
        inStep
            ? new Exit(self(), Exit.Reason.ABANDONED, null, decided.cause(), decided.detail())
            : decided;
    return claimNotification() ? exit : null;
  }

  /// Whether it handles no more messages, although its mailbox is open until its worker closes it.
  public final boolean isAbandoned() {
    return abandoned;
  }

  private boolean claimNotification() {
    return NOTIFYING.compareAndSet(this, false, true);
  }

  /// Notifies links, monitors, names and listeners, which may not return, continuing where a call
  /// before has stopped; then the host. For the holder of the claim.
  public final void notifyExit(Exit exit) {
    if (!PROCESS_LINKS.compareAndSet(this, null, exit)) {
      var _ = processLinks().exited(this, exit, host.names()::release);
    }
    exitNotified(exit);
  }

  /// Records that the listeners have accepted its start.
  public final void announced() {
    announced = true;
  }

  public final boolean isAnnounced() {
    return announced; // safe: written before its first step, or by the caller itself
  }

  // ---- links, monitors and names ----

  @Override
  public final boolean decideLinkExit(Exit exit) {
    if (trapsExits) {
      return true;
    }
    var _ = ENDING.compareAndSet(this, null, exit); // false: its end was decided before
    return false;
  }

  @Override
  public final ProcessLinks processLinks() {
    while (true) {
      Object seen = processLinks;
      if (seen instanceof ProcessLinks known) {
        return known;
      }
      ProcessLinks made = new ProcessLinks((Exit) seen);
      if (PROCESS_LINKS.compareAndSet(this, seen, made)) {
        return made;
      }
    }
  }

  /// Its links, if any were asked for before.
  public final @Nullable ProcessLinks existingLinks() {
    return processLinks instanceof ProcessLinks known ? known : null;
  }
}
