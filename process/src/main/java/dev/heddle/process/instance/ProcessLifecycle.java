// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.internal.StackGuard;
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
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A task with an end, which is decided once, and of which whoever is tied to it is told once.
public abstract class ProcessLifecycle extends Task implements ProcessLinks.Owner {
  /*
   * States.  from     event                          to       actor, order
   *          LIVES    its code is done, or throws    DECIDED  its worker: CAS on `ending`
   *          LIVES    end(), a shutdown              DECIDED  any thread: CAS; the winner wakes it
   *          LIVES    a broken link, no trap         DECIDED  the worker of the other end: CAS
   *                                                           under the lock of its own ties; then
   *                                                           wakes it
   *          LIVES    completed(): a step had no     DECIDED  its worker: CAS
   *                   memory to decide
   *          DECIDED  any of these                   DECIDED  nothing happens: the first one counts
   *          DECIDED  completed(), refuse()          TOLD     its worker, or the thread that could
   *                                                           not start it: leaves, closes, tells
   *          DECIDED  abandon()                      TOLD     a shutdown out of time: tells, and
   *                                                           leaves the rest to completed()
   *          TOLD     completed()                    TOLD     its worker: leaves, closes the
   *                                                           mailbox
   *
   * A worker reads `ending` before each step. So a step that runs is never cut, and a process that
   * waits ends at once.
   *
   * At the end, in this order:
   *   closeCode()         closes the process and abandons its commands, whose results no step would
   *                       see
   *   closeMailbox()  later sends fail; what lies in the mailbox is counted
   *   releaseSlot()       its place is free, before the exit is known: an observer of the exit can
   *                   start another process in it
   *   the ties        tell links, monitors, names and listeners
   *   exitNotified()          the host takes it off its table last: its number is found until all
   *                           know
   *   clear()          forgets what it ran, not before: an observer may ask for its class
   *
   * The decision is kept as what there was without memory: the Throwable, or the exit of the
   * process to which it was linked. Its own exit is made of that when it is told.
   *
   * Traps. What counts is whether it traps exits at the moment at which an end comes to it. It
   * sees a LinkDown that is on its way then also when it has ceased to trap since; an end that was
   * decided is not taken back by a later trap.
   *
   * Most processes have no ties, and none are made at the end: the exit stands in their place, for
   * whoever asks later.
   *
   * I1. Each of these happens once. Task calls completed() once, and never for a process that was
   *     refused, which is in no queue and so never runs; ties remember that they were told.
   *     [LifeTest, RuntimeShutdownTest]
   * I2. An observer of the exit finds the place free: it is given back before the write that makes
   *     the exit known, here or in the ties; both are volatile. An abandoned process keeps its
   *     place until its worker comes; no process is started any more then. [HostTest]
   *
   * P1, P13; proc-60 to proc-76, proc-208, proc-209, proc-215.
   */
  private static final VarHandle ENDING;
  private static final VarHandle PROCESS_LINKS;
  private static final VarHandle NOTIFYING;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ENDING = lookup.findVarHandle(ProcessLifecycle.class, "ending", Object.class);
      PROCESS_LINKS = lookup.findVarHandle(ProcessLifecycle.class, "processLinks", Object.class);
      NOTIFYING = lookup.findVarHandle(ProcessLifecycle.class, "notifying", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// Why one has ended whose step has thrown, and then had no memory to say what: the JVM links
  /// code when it is reached first, and needs memory for that.
  @SuppressWarnings("StaticAssignmentOfThrowable") // there is no memory for one then
  private static final Throwable UNDECIDED =
      new OutOfMemoryError("a step has failed, and there was no memory to note why");

  final ProcessEnvironment host;

  // the process, read by whoever breaks a link
  private volatile boolean trapsExits;

  // whoever starts it, before its first step; read at its end
  private boolean announced;

  // the worker of its end: how far that has come
  private boolean isCodeClosed;
  private boolean isSlotReleased;
  private boolean isNotifier;

  // its worker or a shutdown, CAS: one of them tells of its end
  @SuppressWarnings("unused") // through NOTIFYING
  private volatile boolean notifying;

  // a shutdown, read by whoever sends
  private volatile boolean abandoned;

  // any thread, CAS
  private volatile @Nullable Object
      ending; // null; its exit, or that of one it was linked to; a Throwable
  private volatile @Nullable Object
      processLinks; // null before anybody asks; or ProcessLinks; or the Exit without

  ProcessLifecycle(ProcessEnvironment host, QueuePriority queuePriority) {
    super(queuePriority);
    this.host = host;
  }

  // ---- what it is made of ----

  /// Where it lives.
  public final ProcessEnvironment host() {
    return host;
  }

  /// Its address.
  @Override
  public abstract Pid self();

  /// The number in it.
  public final long id() {
    return self().id();
  }

  /// The class of what it runs.
  public abstract String kind();

  /// Gives it a signal that comes before all messages.
  ///
  /// @return false when its mailbox is closed
  abstract boolean urgent(ProcessSignal processSignal);

  /// Gives it a signal that comes behind the messages that lie in its mailbox.
  ///
  /// @return false when its mailbox is closed
  abstract boolean ordered(ProcessSignal processSignal);

  /// Closes what it runs, and leaves what that has asked for.
  abstract void closeCode();

  /// Refuses all that is sent from now on.
  abstract void closeMailbox();

  /// Everybody tied to it knows.
  abstract void exitNotified(Exit exit);

  /// Forgets what it ran.
  abstract void clear();

  // ---- waking ----

  /// Before something is published for it: notes who goes the rest of the way when the stack ends
  /// in the middle. [#endWakeUp] is to follow, or [#cancelWakeUp].
  ///
  /// @return the worker in whose step the caller is; null in other threads, and steps of other
  ///   runtimes, which have no such worker
  /// @throws StackOverflowError when there is no worker, and the stack may not last
  final @Nullable Worker beginWakeUp(int why) {
    Worker here = Worker.current();
    if (here == null) { // a body that sends again and again gives way: here nothing is begun
      here = why == BY_MESSAGE ? ProcessFiber.carrierOfCall() : ProcessFiber.carrier();
    }
    if (here == null || here.scheduler() != host.scheduler()) {
      StackGuard.requireAmpleRoom();
      return null;
    }
    here.wakeUps().begin(this, why);
    return here;
  }

  /// Wakes it for what was published since [#beginWakeUp].
  final void endWakeUp(int why, @Nullable Worker here) {
    host.scheduler().wake(this, why, here);
    cancelWakeUp(here);
  }

  /// Wakes it for nothing but to take a step.
  public final void wakeUp() {
    endWakeUp(BY_COMMAND, beginWakeUp(BY_COMMAND));
  }

  /// Nothing was published after all.
  static void cancelWakeUp(@Nullable Worker here) {
    if (here != null) {
      here.wakeUps().end();
    }
  }

  /// The worker in whose step the caller is, also where that step runs a body; or null.
  public static @Nullable Worker here() {
    Worker worker = Worker.current();
    return worker != null ? worker : ProcessFiber.carrier();
  }

  // ---- deciding ----

  /// Whether its end is decided.
  public final boolean isEnding() {
    return ending != null;
  }

  /// How it ends, which is decided.
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

  /// What follows from the end of a process to which it was linked.
  private Exit exitFrom(Exit of) {
    Exit.Reason reason = of.isFailure() ? Exit.Reason.LINKED : Exit.Reason.SHUTDOWN;
    return new Exit(self(), reason, null, LinkedExitException.after(of), of.detail());
  }

  /// It has thrown, and so fails, unless somebody has ended it before. Needs no memory: the exit is
  /// made when it is told.
  final void failWith(Throwable thrown) {
    var _ = ENDING.compareAndSet(this, null, thrown);
  }

  /// Goes through that once, for [ProcessInstance#preload].
  final void preloadDecision() {
    failWith(UNDECIDED);
    var _ = ending();
  }

  /// It ends by itself, unless somebody has ended it before.
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

  /// Ends it without asking.
  ///
  /// @return false when its end was decided before
  public final boolean terminate(String why) {
    return end(Exit.Reason.TERMINATED, new ProcessTerminatedException(why));
  }

  /// Asks it to end, when it listens; else ends it, on purpose.
  ///
  /// @return whether it was asked
  public final boolean cancel(ProcessSignal.Cancel how) {
    if (trapsExits) {
      return urgent(how);
    }
    var _ = // one that has ended needs no more
        end(
            Exit.Reason.SHUTDOWN,
            new ProcessTerminatedException("process cancelled: " + how.reason()));
    return false;
  }

  /// Tells it that another wants it to end, when it listens; else ends it, on purpose.
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

  // ---- telling ----

  @Override
  protected final void completed(Worker worker) {
    finish();
  }

  /// It will not be started: closes it, and tells whoever has come to know it meanwhile.
  public final void refuse(Throwable why) {
    failWith(why);
    try {
      finish();
    } catch (OutOfMemoryError _) {
      host.scheduler().finishLater(this); // a worker finds that it is to end
    }
  }

  /// Goes through what happens at the end, from where it has stopped before.
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
    if (isNotifier || claimNotification()) { // or a shutdown tells, or has told
      isNotifier = true;
      notifyExit(ending());
    }
    clear();
  }

  /// Others wait for this end: only want of memory stops it, until there is some.
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

  /// Nobody has time for it: tells everybody as if it had ended. It is closed when its step
  /// returns, or a worker comes to it, if ever.
  ///
  /// @return false when everybody knows its end already
  public final boolean abandon(boolean inStep) {
    Exit exit = markAbandoned(inStep);
    if (exit != null) {
      notifyAbandoned(exit);
    }
    return exit != null;
  }

  /// The first part of [#abandon]: calls nobody.
  ///
  /// @return what is to be told, by [#notifyAbandoned]; null when its end is told already, or is
  ///   being told
  public final @Nullable Exit markAbandoned(boolean inStep) {
    abandoned = true;
    // if it is nobody's yet: woken too, so that its worker looks when the step returns
    var _ = end(Exit.Reason.ABANDONED, new ProcessTerminatedException("abandoned in a step"));
    Exit decided = ending();
    Exit exit =
        inStep
            ? new Exit(self(), Exit.Reason.ABANDONED, null, decided.cause(), decided.detail())
            : decided;
    return claimNotification() ? exit : null;
  }

  /// Calls listeners, which may not return.
  public final void notifyAbandoned(Exit exit) {
    notifyExit(exit);
  }

  /// Whether nobody will take what is sent, though its mailbox is open: that is its worker's.
  public final boolean isAbandoned() {
    return abandoned;
  }

  /// Asks to be the one who tells of its end.
  private boolean claimNotification() {
    return NOTIFYING.compareAndSet(this, false, true);
  }

  /// Tells whoever is tied to it, from where that has stopped before, then the host. Who has
  /// claimed that.
  private void notifyExit(Exit exit) {
    if (!PROCESS_LINKS.compareAndSet(this, null, exit)) {
      var _ = processLinks().exited(this, exit, host.names());
    }
    exitNotified(exit);
  }

  /// The listener knows that it starts.
  public final void announced() {
    announced = true;
  }

  public final boolean isAnnounced() {
    return announced; // safe: whoever ends it has met its worker, or is its starter
  }

  // ---- being told ----

  @Override
  public final boolean decideLinkExit(Exit exit) {
    if (trapsExits) {
      return true;
    }
    var _ = ENDING.compareAndSet(this, null, exit); // or its end was decided before
    return false;
  }

  // ---- ties ----

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

  /// Its ties, when somebody has asked for them before.
  public final @Nullable ProcessLinks existingLinks() {
    return processLinks instanceof ProcessLinks known ? known : null;
  }
}
