// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Invocation;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessEvent;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// A command that has no reply yet, for the runtime.
///
/// @param <R> the type of the result
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
   *                    or no stack                            be retried
   *
   * onCancel() and cancel() use the same field: it holds the action while the command is OPEN, and
   * an action set when the command is DROPPED runs at once.
   *
   * So a reply reaches the process that issued the command, once, or no process. It never reaches
   * another process with the same number: no number is used twice, and this object refers to its
   * process, not to the number. P11.
   */
  private static final Object OPEN = new Object();
  private static final Object ANSWERED = new Object();
  private static final Object DROPPED = new Object();
  private static final VarHandle STATE =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "state", VarHandle.class, PendingCommand.class, Object.class);

  private final CommandIssuer issuer;
  private final long tag;

  // any thread, CAS: OPEN, a Runnable (OPEN, with the action for a cancellation), ANSWERED or
  // DROPPED
  @SuppressWarnings("FieldMayBeFinal") // through STATE
  private volatile Object state = OPEN;

  // written by the worker that begins it: whether the reply is ordered after the messages before it
  private boolean inOrder;

  // written by the dispatcher and the handler; read by dumps
  private @Nullable Class<?> command;
  private volatile @Nullable String waitsFor;
  private volatile @Nullable Pid answerer;

  public PendingCommand(CommandIssuer issuer, long tag) {
    this.issuer = Objects.requireNonNull(issuer, "issuer");
    this.tag = tag;
  }

  @Override
  public Pid caller() {
    return issuer.self();
  }

  @Override
  public long tag() {
    return tag;
  }

  void carries(ProcessCommand<?> what) {
    command = what.getClass();
  }

  /// The name of the coroutine or thread that executes it, for dumps: the command and its issuer.
  String name(ProcessCommand<?> what) {
    return what.getClass().getSimpleName() + " of " + caller();
  }

  /// A description of what its process waits for: the class of the command, and what the command
  /// itself waits for before it is executed; null when it was not dispatched yet. For dumps.
  public @Nullable String waitsFor() {
    Class<?> what = command; // safe: a racy read
    if (what == null) {
      return null;
    }
    String before = waitsFor;
    return before == null || !isOpen()
        ? what.getSimpleName()
        : what.getSimpleName() + ", for " + before;
  }

  void waitsFor(@Nullable String what) {
    waitsFor = what;
  }

  /// Only a reply of another process completes it; within its step.
  void waitsForAnswerOf(Pid process) {
    answerer = process;
    issuer.waitsForProcess();
  }

  /// The process whose reply it waits for; null when it waits for something else, or no longer
  /// waits.
  public @Nullable Pid answerer() {
    return isOpen() ? answerer : null;
  }

  /// Its reply comes from a process and is ordered after the messages that this process has sent
  /// before. Within the step, before a reply is possible.
  void answersInOrder() {
    inOrder = true;
  }

  CommandIssuer issuer() {
    return issuer;
  }

  /// The action of a cancellation, if there is no reply yet.
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
      issuer.onLateResult(this);
      return false;
    }
    try {
      issuer.deliver(event, inOrder);
    } catch (OutOfMemoryError | StackOverflowError e) { // nothing was published: may be retried
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

  /// Completes it with a [CancellationException], and stops its execution.
  ///
  /// @return false when it had a reply before
  public boolean cancel(String why) {
    Object seen = leaveOpen(DROPPED);
    if (seen == null) {
      return false;
    }
    issuer.deliver(ProcessEvent.failed(tag, new CancellationException(why)), false);
    runAction(seen);
    return true;
  }

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

  private void runAction(Object seen) {
    if (seen instanceof Runnable action) {
      try {
        action.run();
      } catch (Throwable t) {
        issuer.logUnreported("the cancellation of a command", t);
      }
    }
  }
}
