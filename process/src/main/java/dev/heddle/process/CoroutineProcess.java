// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.PinnedException;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.internal.PinnedFrame;
import dev.heddle.internal.Rethrow;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.BodyHolder;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.fiber.ForwardedReceiveQueue;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.fiber.ReceiveQueue;
import dev.heddle.process.routing.LocalPid;
import dev.heddle.process.scheduler.UninterruptibleLog;
import dev.heddle.process.timer.WaitTimeout;
import java.lang.System.Logger.Level;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A process whose body is sequential code: it waits where it needs something, at any call depth,
/// and continues there when that has come, maybe on another worker.
///
/// Waits in the JDK (for a queue, a lock, a socket, a future) hold no worker either. A worker is
/// held by a wait below a native frame or in a class initialiser, and by operations for which the
/// JDK blocks the thread, like reading a file or looking up the name of a host. There are commands
/// for those: [Commands#readFile], [Commands#resolve], [Commands#call].
///
/// When the process is ended from outside, the wait of the body throws: a [Cancellation] in
/// [#receive] and [#execute], then and at each later call; a wait in the JDK is interrupted. So
/// `finally` blocks run. What they do without waiting is done before the end is reported; a
/// clean-up that waits again continues in the background.
///
/// Operations of Heddle that need a loop throw in the body; the error names the alternative.
///
/// **Thread** its methods are for the body, on the body's own thread.
///
/// @since 0.1
public abstract class CoroutineProcess implements Process {
  /*
   * The process is a state machine around a stack. Each step takes the events, resumes the body if
   * what it waits for has come, and then requests what the body waits for next.
   *
   *   The body is   it continues with                     the step requests  the process is
   *     receiving   a message or signal, the time limit   idle              IDLE, woken by anything
   *     executing   the result of its command, the limit  awaitCommands     BLOCKED (note)
   *     in the JDK  an execute() of its thread            awaitWakeUp       BLOCKED (note)
   *     ended       nothing                               done, or throws   COMPLETE
   *
   * Note: messages stay in the bounded mailbox.
   *
   * Each command has its own tag, which is never reused. A result for another tag (of a command
   * that lost against the time limit) is ignored. proc-188. The tags begin at Long.MIN_VALUE, far
   * from those that other processes choose: this process may have replaced another one, whose
   * commands are still pending.
   *
   * The body runs within steps only, so its fields and those of the process belong to one thread at
   * a time; see ProcessFiber for the thread and the end.
   *
   * A time limit is not a command: a timer wakes the process, and the clock decides whether the
   * limit of the current wait has passed. So a late wake-up of an earlier wait ends no other wait.
   * All waits share one timer.
   *
   * The body reads the mailbox itself: what it has not received stays there and counts toward the
   * capacity (MailboxReader). Its steps are given results only. The body of a process within
   * another process, which forwards the messages, has a list instead (ForwardedReceiveQueue).
   */

  /// The code of a process made of a lambda that returns its result.
  @FunctionalInterface
  public interface Code {
    /// Runs like [CoroutineProcess#run].
    @Nullable Object run(CoroutineProcess self) throws Exception;
  }

  /// The code of a process without a result.
  @FunctionalInterface
  public interface ActionCode {
    /// Runs like [CoroutineProcess#run].
    void run(CoroutineProcess self) throws Exception;
  }

  private static final int REFUSALS = 16; // waits of an ended process before it leaves its worker

  private boolean reportsReady; // written before the start
  private @Nullable ProcessContext context;
  private @Nullable ProcessFiber thread;
  private String entryPoint = RUN;
  private @Nullable Object input;

  // messages and signals not yet received
  private @Nullable ReceiveQueue receiveQueue;

  // the wait of the body
  private final List<StepOutput.TaggedCommand> requested = new ArrayList<>(2);
  private long lastTag = Long.MIN_VALUE;
  private long commandTag;
  private @Nullable ProcessEvent commandResult;
  private boolean receives;
  private @Nullable WaitTimeout timer; // of all waits with a limit
  private int refusals;

  // written by the body, read by reports
  private @Nullable ProcessCommand<?> executing;
  private @Nullable Duration limited; // the limit of the current wait

  // what the body upgrades to
  private StepOutput.@Nullable Upgrade upgrade;
  private boolean replaced;

  // how the body has ended
  private @Nullable Object result;
  private @Nullable Throwable failure;

  /// Creates a process that has not begun.
  protected CoroutineProcess() {}

  /// Creates a process from its code, which returns the result.
  public static CoroutineProcess of(Code code) {
    Objects.requireNonNull(code, "code");
    return new CoroutineProcess() {
      @Override
      protected @Nullable Object run(@Nullable Object input) throws Exception {
        return code.run(this);
      }
    };
  }

  /// Creates a process without a result from its code. It has a name of its own because Java could
  /// not select between two forms of [#of] for a lambda like `self -> self.receive()`.
  public static CoroutineProcess ofAction(ActionCode code) {
    Objects.requireNonNull(code, "code");
    return of(self -> {
      code.run(self);
      return null;
    });
  }

  /// Makes this process count as started only when its body has called [#ready()]. Call it before
  /// the process is spawned. A subclass overrides [#reportsReady()] instead.
  ///
  /// ```java
  /// CoroutineProcess.of(self -> {
  ///   var database = connect(self); // children after this process wait until here
  ///   self.ready();
  ///   return serve(self, database);
  /// }).reportingReady();
  /// ```
  ///
  /// @return this process
  /// @throws IllegalStateException when it has begun
  public CoroutineProcess reportingReady() {
    if (context != null) {
      throw new IllegalStateException(
          context.self() + " has begun; call reportingReady() before it is spawned");
    }
    reportsReady = true;
    return this;
  }

  /// Whether [#reportingReady()] was called. A subclass whose body calls [#ready()] returns true.
  @Override
  public boolean reportsReady() {
    return reportsReady;
  }

  /// The body. The process ends when it ends: normally with the value it returns, failed with what
  /// it throws.
  ///
  /// @param input the input of the start
  protected abstract @Nullable Object run(@Nullable Object input) throws Exception;

  // ---- for the body ----

  /// The context of the process.
  ///
  /// @throws IllegalStateException before the process has begun
  public final ProcessContext context() {
    if (context == null) {
      throw new IllegalStateException("the process has not begun; spawn it");
    }
    return context;
  }

  /// The entry point selected by the start.
  public final String entryPoint() {
    return entryPoint;
  }

  /// The input of the start.
  public final @Nullable Object input() {
    return input;
  }

  /// Reports that this process has started: [ProcessContext#ready()].
  ///
  /// @throws IllegalStateException when the process does not report it: [#reportingReady()]
  public final void ready() {
    context().ready();
  }

  /// Replaces this process by another one, as [StepOutput#upgrade] does: it keeps the PID, names,
  /// links and monitors, and the mailbox. The other process first gets what this body has not
  /// received, in order.
  ///
  /// This call does not return. It throws a [Cancellation], and so does each later wait of this
  /// body: `finally` blocks run, and what they do without waiting is done before the other process
  /// begins. Pending commands belong to the other process.
  ///
  /// A body that catches the [Cancellation] and continues runs in the background. Once the other
  /// process has begun, [#context()] refuses it whatever belongs to that process, with an
  /// [IllegalStateException]; [ProcessContext] lists what it may still call.
  ///
  /// The body of a process within another process upgrades that process, which passes on the output
  /// of its step.
  ///
  /// @param source what the runtime's factory makes the process of; if that fails, this process
  ///   fails
  /// @param entryPoint an entry point of it
  /// @param input the input for its `init`
  /// @throws Cancellation always
  /// @throws PinnedException when a native frame or class initialiser keeps the body on its worker;
  ///   nothing was done
  public final void upgrade(String source, String entryPoint, @Nullable Object input) {
    ProcessFiber body = currentFiber("upgrade");
    Objects.requireNonNull(source, "source");
    upgrade =
        new StepOutput.Upgrade(source, Objects.requireNonNull(entryPoint, "entryPoint"), input);
    try {
      suspend(body);
    } finally {
      upgrade = null;
    }
    throw new IllegalStateException("a body that upgrades was resumed, and not to end it");
  }

  /// Waits for the next message or [ProcessSignal]. **Suspends** when there is none.
  ///
  /// @throws Cancellation when the process was ended from outside
  /// @throws PinnedException when a native frame or class initialiser keeps the body on its worker
  public final @Nullable Object receive() {
    return receive(_ -> true);
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when nothing has come
  public final @Nullable Object receive(Duration limit) {
    return receive(_ -> true, limit);
  }

  /// Waits for the next message or signal of a class; others stay in order, and count toward the
  /// capacity of the mailbox until they are received.
  public final <T> T receive(Class<T> type) {
    return type.cast(Objects.requireNonNull(receive(type::isInstance)));
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when nothing has come
  public final <T> T receive(Class<T> type, Duration limit) {
    return type.cast(Objects.requireNonNull(receive(type::isInstance, limit)));
  }

  /// Waits for the next message or signal that matches; others stay in order.
  public final @Nullable Object receive(Predicate<? super @Nullable Object> wanted) {
    return receiveWithin(wanted, null);
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when nothing has come
  public final @Nullable Object receive(
      Predicate<? super @Nullable Object> wanted, Duration limit) {
    return receiveWithin(wanted, Objects.requireNonNull(limit, "limit"));
  }

  /// Executes a command and waits for its result. **Suspends** always. Messages wait in the mailbox
  /// meanwhile.
  ///
  /// Throws what the command has failed with, as the same object, checked or not. The compiler does
  /// not know of checked exceptions here: [#execute(ProcessCommand, Class)] declares the expected
  /// one.
  ///
  /// @param <R> the type of the result
  /// @throws Cancellation when the process was ended from outside; the command is cancelled
  /// @throws PinnedException when a native frame or class initialiser keeps the body on its worker;
  ///   nothing was done
  public final <R extends @Nullable Object> R execute(ProcessCommand<R> command) {
    return executeWithin(command, null);
  }

  /// The same, with a time limit. When the limit passes while the result is on its way, it waits
  /// for the result.
  ///
  /// @throws DeadlineException when there was no result; the command is cancelled
  public final <R extends @Nullable Object> R execute(ProcessCommand<R> command, Duration limit) {
    return executeWithin(command, Objects.requireNonNull(limit, "limit"));
  }

  /// Executes a command that may fail with a checked exception, so that the compiler allows a
  /// `catch` of that class.
  ///
  /// @param <X> the type of the failure
  /// @param failure the class of the checked exception with which the command may fail
  /// @throws X when the command has failed with it
  /// @throws UndeclaredThrowableException when the command has failed with another checked
  ///   exception, which is its cause
  /// @throws Cancellation when the process was ended from outside; the command is cancelled
  public final <R extends @Nullable Object, X extends Exception> R execute(
      ProcessCommand<R> command, Class<X> failure) throws X {
    return executeDeclared(command, null, failure);
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when there was no result; the command is cancelled
  public final <R extends @Nullable Object, X extends Exception> R execute(
      ProcessCommand<R> command, Duration limit, Class<X> failure) throws X {
    return executeDeclared(command, Objects.requireNonNull(limit, "limit"), failure);
  }

  /// Waits for a time, never less. Messages wait in the mailbox meanwhile.
  public final void sleep(Duration time) {
    execute(Commands.sleep(time));
  }

  // ---- the waits ----

  private @Nullable Object receiveWithin(
      Predicate<? super @Nullable Object> wanted, @Nullable Duration limit) {
    ProcessFiber body = currentFiber("receive");
    ReceiveQueue unread = Objects.requireNonNull(receiveQueue);
    unread.rewind();
    Object found = unread.find(wanted);
    if (found != ReceiveQueue.NOTHING) {
      body.yieldIfBudgetSpent();
      return found;
    }
    receives = true;
    try {
      beginWait(limit);
      while (true) {
        suspend(body);
        if ((found = unread.find(wanted)) != ReceiveQueue.NOTHING) {
          return found;
        }
        if (isTimeUp()) {
          throw new DeadlineException("no matching message has come within " + limit);
        }
      }
    } finally {
      receives = false;
      endWait();
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the dispatcher ties a command to its R
  private <R extends @Nullable Object> R executeWithin(
      ProcessCommand<R> command, @Nullable Duration limit) {
    ProcessFiber body = currentFiber("execute");
    Objects.requireNonNull(command, "command");
    try {
      executing = command;
      beginWait(limit);
      commandTag = requestCommand(command);
      while (commandResult == null) {
        suspend(body);
        if (commandResult == null && isTimeUp() && context().cancelCommand(commandTag)) {
          throw new DeadlineException(command + " has no result within " + limit);
        }
        if (commandResult == null && isTimeUp()) {
          endLimit(); // the result is on its way, and its handler was told that it is accepted
        }
      }
      if (commandResult.error() != null) {
        CrossThreadTraces.appendCallerTrace(commandResult.error());
        throw Rethrow.unchecked(commandResult.error());
      }
      return (R) commandResult.data();
    } finally {
      commandResult = null;
      commandTag = 0;
      executing = null;
      endWait();
    }
  }

  private <R extends @Nullable Object, X extends Exception> R executeDeclared(
      ProcessCommand<R> command, @Nullable Duration limit, Class<X> declared) throws X {
    Objects.requireNonNull(declared, "failure");
    try {
      return executeWithin(command, limit);
    } catch (Throwable t) {
      if (declared.isInstance(t)) {
        throw declared.cast(t);
      }
      if (t instanceof RuntimeException || t instanceof Error) {
        throw Rethrow.unchecked(t);
      }
      throw new UndeclaredThrowableException(
          t, command + " has failed with " + t + ", and not with " + declared.getName());
    }
  }

  private ProcessFiber currentFiber(String what) {
    ProcessFiber body = thread;
    if (body == null || !body.isCurrentThread()) {
      throw new IllegalStateException(
          what
              + "() is for the body of "
              + (context == null ? "a process" : context.self())
              + ", on its own thread, but was called on "
              + Thread.currentThread()
              + "; send the process a message instead");
    }
    if (body.isUnwinding()) {
      if (++refusals > REFUSALS) {
        Thread.yield(); // a body that never stops must not hold a worker
      }
      throw ended();
    }
    return body;
  }

  private Cancellation ended() {
    String what =
        replaced
            ? " runs another process in place of this body"
            : context().exit() == null ? " continues without this body" : " has ended";
    return new Cancellation(context().self() + what + "; nothing will come any more");
  }

  private long requestCommand(ProcessCommand<?> command) {
    requested.add(new StepOutput.TaggedCommand(++lastTag, command));
    return lastTag;
  }

  private void beginWait(@Nullable Duration limit) {
    if (limit != null) {
      if (timer == null) {
        timer = context().runtime().waitLimit(context()::wakeUp);
      }
      timer.start(limit);
      limited = limit;
    }
  }

  private void endWait() {
    requested.clear(); // a command that was not issued, because the body is pinned to its worker
    endLimit();
  }

  private void endLimit() {
    if (limited != null && timer != null) {
      timer.stop();
      limited = null;
    }
  }

  private boolean isTimeUp() {
    return limited != null && timer != null && timer.isOver();
  }

  private void suspend(ProcessFiber body) {
    if (!body.suspend()) {
      throw PinnedFrame.refusalOf("the body of " + context().self());
    }
    if (body.isUnwinding()) {
      throw ended();
    }
  }

  // ---- the state machine ----

  @Override
  public final void init(ProcessContext self, String entry, @Nullable Object with) {
    if (context != null) {
      throw new IllegalStateException(
          "a CoroutineProcess runs once, and this one is " + context.self() + "; make another one");
    }
    context = self;
    entryPoint = entry;
    input = with;
    receiveQueue = // by the PID: the context may be that of a process around this one, which has
        // replaced it
        self.self() instanceof LocalPid pid && pid.receiver() instanceof BodyHolder live
            ? live.receiveQueueOf(this)
            : new ForwardedReceiveQueue(CoroutineProcess::leftUnseen);
  }

  /// For a body outside a runtime, as in a test that makes its steps.
  private static void leftUnseen(ProcessEvent event) {
    if (event.data() instanceof Request request) {
      request.reply().unreceived();
    }
  }

  @Override
  public final void step(List<ProcessEvent> events, StepOutput out) throws Exception {
    ReceiveQueue unread = Objects.requireNonNull(receiveQueue);
    receiveEvents(events, unread);
    ProcessFiber body = thread;
    if (body == null) {
      thread =
          body = new ProcessFiber("process " + context().self(), this::runBody, context()::wakeUp);
      body.start();
    } else if (!body.isSuspended()) {
      body.runIfResumable();
    } else if ((receives ? unread.hasUnseen() : commandResult != null) || isTimeUp()) {
      body.resume();
    } else {
      body.clearResumable();
    }
    finishStep(body, out);
  }

  private void receiveEvents(List<ProcessEvent> events, ReceiveQueue unread) {
    for (ProcessEvent event : events) {
      if (event.isMessage()) {
        unread.add(event);
      } else if (event.tag() == commandTag && commandTag != 0) {
        commandResult = event;
      }
    }
  }

  private void finishStep(ProcessFiber body, StepOutput out) {
    if (body.isEnded()) {
      if (failure != null) {
        throw Rethrow.unchecked(failure);
      }
      out.done(result);
    } else if (!body.isSuspended()) {
      out.awaitWakeUp();
    } else if (upgrade != null) {
      replaced = true;
      out.upgrade(upgrade, Objects.requireNonNull(receiveQueue).unreceived());
    } else {
      for (StepOutput.TaggedCommand order : requested) {
        out.execute(order.tag(), order.command());
      }
      requested.clear();
      if (limited != null && timer != null && !timer.willWake()) {
        out.continueNow(); // its limit has passed, or is about to
      } else if (receives) {
        out.idle();
      } else {
        out.awaitCommands();
      }
    }
  }

  /// The body of a process, for reports; null when the process has none, or it has not begun.
  static @Nullable FiberView fiberOf(Process process) {
    // safe: a racy read of fields of the body and the worker; what they refer to is immutable
    ProcessFiber body = process instanceof CoroutineProcess p ? p.thread : null;
    return body == null ? null : ((CoroutineProcess) process).view(body);
  }

  private FiberView view(ProcessFiber body) {
    Awaited awaited = body.awaited();
    if (awaited != null) {
      return new FiberView(body, awaited.description(), awaited.limit());
    }
    ProcessCommand<?> command = executing;
    String call = command == null ? null : command.getClass().getSimpleName();
    return new FiberView(body, receives ? "receive" : call, limited);
  }

  private void runBody() {
    try {
      result = run(input);
    } catch (Throwable t) {
      failure = t;
      boolean isEndRequest = t instanceof Cancellation || t instanceof InterruptedException;
      if (ProcessFiber.isDetached() && !isEndRequest) { // no step reads `failure` any more
        UninterruptibleLog.write(
            Level.WARNING,
            "the body of "
                + context().self()
                + ", which has ended or continues without it, has failed",
            t);
      }
    }
  }

  @Override
  public final void close() {
    if (thread != null) {
      thread.unwind();
    }
    if (timer != null) {
      timer.close();
    }
    if (receiveQueue != null) {
      receiveQueue.close();
    }
  }
}
