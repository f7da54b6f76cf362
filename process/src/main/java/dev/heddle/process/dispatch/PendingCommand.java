// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Invocation;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A command that has no answer yet, as the runtime sees it.
///
/// @param <R> of the result
public final class PendingCommand<R extends @Nullable Object> implements Invocation<R> {
  /*
   * States.  from      event                        to        actor, order
   *          OPEN      complete(), fail()           ANSWERED  any thread: CAS; the winner delivers
   *          OPEN      cancel()                     DROPPED   any thread: CAS; the winner delivers
   *                                                           the cancellation, then runs the
   *                                                           action of the handler
   *          OPEN      abandon(), at the end        DROPPED   its worker: CAS; delivers nothing,
   *                    of the process                         runs the action
   *          ANSWERED, complete(), fail()           same      any thread: counted as too late
   *          DROPPED
   *          ANSWERED  the winner has no memory,    OPEN      the winner: store; it throws, and may
   *                    or no stack                            answer again
   *
   * onCancel() and cancel() meet at the same word: it holds the action while the command is OPEN,
   * and an action that finds it DROPPED runs at once.
   *
   * So an answer reaches the process that has asked, once, or no process. It never reaches another
   * process under the same number: no number is given twice, and this object knows its process,
   * not the number. P11.
   */
  private static final Object OPEN = new Object();
  private static final Object ANSWERED = new Object();
  private static final Object DROPPED = new Object();
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(PendingCommand.class, "state", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CommandIssuer commandIssuer;
  private final long tag;

  // any thread, CAS: OPEN, a Runnable (OPEN, with what a cancellation runs), ANSWERED or DROPPED
  @SuppressWarnings("FieldMayBeFinal") // through STATE
  private volatile Object state = OPEN;

  // whoever begins to carry it out: whether the answer stands behind the messages before it
  private boolean inOrder;

  // whoever hands it on, and whoever carries it out; read for dumps
  private @Nullable Class<?> command;
  private volatile @Nullable String waitsFor;
  private volatile @Nullable Pid answerer;

  /// A command of `commandIssuer`, not answered yet.
  public PendingCommand(CommandIssuer commandIssuer, long tag) {
    this.commandIssuer = Objects.requireNonNull(commandIssuer, "caller");
    this.tag = tag;
  }

  @Override
  public Pid caller() {
    return commandIssuer.self();
  }

  @Override
  public long tag() {
    return tag;
  }

  /// What is to be carried out.
  void carries(ProcessCommand<?> what) {
    command = what.getClass();
  }

  /// What carries it out is called so in dumps: the command, and who has asked.
  String name(ProcessCommand<?> what) {
    return what.getClass().getSimpleName() + " of " + caller();
  }

  /// What its process waits for, in words: the command, by its class, and for what that waits
  /// before it is carried out; null when nobody has been given it yet. For dumps.
  public @Nullable String waitsFor() {
    Class<?> what = command; // safe: read at some moment
    if (what == null) {
      return null;
    }
    String before = waitsFor;
    return before == null || !isOpen()
        ? what.getSimpleName()
        : what.getSimpleName() + ", for " + before;
  }

  // ---- for whoever carries it out ----

  void waitsFor(@Nullable String what) {
    waitsFor = what;
  }

  /// Nothing but a process's answer completes it; within its step.
  void waitsForAnswerOf(Pid process) {
    answerer = process;
    commandIssuer.waitsForProcess();
  }

  /// The process whose answer it waits for; null when it waits for something else, or no more.
  public @Nullable Pid answerer() {
    return isOpen() ? answerer : null;
  }

  /// Its answer comes from a process, and stands behind the messages that this has sent before.
  /// Within the step, before anybody can answer.
  void answersInOrder() {
    inOrder = true;
  }

  /// What its process can do at once; within its step.
  ProcessContext context() {
    return commandIssuer.context();
  }

  /// Another command of its process, when it has no answer yet; within its step.
  @Nullable PendingCommand<?> other(long otherTag) {
    return commandIssuer.invocation(otherTag);
  }

  /// Lets its process monitor another; within its step. `known` is told the reference before the
  /// signal of that monitor can come.
  void monitor(Pid other, LongConsumer known) {
    commandIssuer.monitor(other, known);
  }

  /// What a cancellation would run, when there is no answer yet.
  @Nullable Runnable action() {
    return state instanceof Runnable action ? action : null;
  }

  @Override
  public boolean complete(R result) {
    return answer(ProcessEvent.completed(tag, result));
  }

  @Override
  public boolean fail(Throwable failure) {
    return answer(ProcessEvent.failed(tag, Objects.requireNonNull(failure, "failure")));
  }

  private boolean answer(ProcessEvent event) {
    Object seen = leaveOpen(ANSWERED);
    if (seen == null) {
      commandIssuer.onLateResult(this);
      return false;
    }
    try {
      commandIssuer.deliver(event, inOrder);
    } catch (OutOfMemoryError | StackOverflowError e) { // nothing was published: try again
      state = seen;
      throw e;
    }
    return true;
  }

  @Override
  public void onCancel(Runnable action) {
    Objects.requireNonNull(action, "action");
    while (true) {
      Object seen = state;
      if (seen == ANSWERED) {
        return;
      }
      if (seen == DROPPED) {
        runAction(action);
        return;
      }
      if (STATE.compareAndSet(this, seen, action)) {
        return;
      }
    }
  }

  @Override
  public boolean isOpen() {
    Object seen = state;
    return seen != ANSWERED && seen != DROPPED;
  }

  // ---- for whoever has asked ----

  /// Ends the wait with a [CancellationException], and stops what is being done.
  ///
  /// @return false when it was answered before
  public boolean cancel(String why) {
    Object seen = leaveOpen(DROPPED);
    if (seen == null) {
      return false;
    }
    commandIssuer.deliver(ProcessEvent.failed(tag, new CancellationException(why)), false);
    runAction(seen);
    return true;
  }

  /// Stops what is being done for a process that has ended.
  public void abandon() {
    Object seen = leaveOpen(DROPPED);
    if (seen != null) {
      runAction(seen);
    }
  }

  private @Nullable Object leaveOpen(Object to) {
    while (true) {
      Object seen = state;
      if (seen == ANSWERED || seen == DROPPED) {
        return null;
      }
      if (STATE.compareAndSet(this, seen, to)) {
        return seen;
      }
    }
  }

  /// What was done for its process has thrown, of which no answer tells that any more.
  void logUnreported(String what, Throwable thrown) {
    commandIssuer.logUnreported(what, thrown);
  }

  private void runAction(Object seen) {
    if (seen instanceof Runnable action) {
      try {
        action.run();
      } catch (Throwable t) {
        logUnreported("what was to stop a command", t);
      }
    }
  }
}
