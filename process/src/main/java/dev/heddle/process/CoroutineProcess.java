// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.PinnedException;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.internal.PinnedFrame;
import dev.heddle.internal.Rethrow;
import dev.heddle.process.fiber.Awaited;
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
/// and goes on there when that has come, maybe on another worker.
///
/// What it waits for in the JDK (a queue, a lock, a socket, a future) holds no worker either. What
/// does: a wait below a native frame or in a class initialiser, and what the JDK itself does with
/// the thread blocked, like reading a file or looking up the name of a host. There are commands for
/// those: [Commands#readFile], [Commands#lookup], [Commands#call].
///
/// When somebody ends the process, the wait of the body throws: [Cancellation] in [#receive] and
/// [#execute], from then on each time; in the JDK it is interrupted. So `finally` blocks run. What
/// they do without waiting is done before anybody is told of the end; a clean-up that waits again
/// goes on beside it.
///
/// What Heddle does on loops only fails in the body: the error says what to use.
///
/// **Thread** its methods are for the body, on its own thread.
///
/// @since 0.1
public abstract class CoroutineProcess implements Process {
  /*
   * A state machine around a stack: each step takes the events, resumes the body if what it waits
   * for has come, and says for the body what it waits for next.
   *
   * The body is     it goes on with                        the step says   which is
   *   in receive    a message or signal; the time limit    idle            Idle, woken by anything
   *   in call       the result of its command; the limit   awaitCommands       Blocked, messages stay in the bounded mailbox
   *   in the JDK    an execute() of its thread             awaitWakeUp      Blocked, the same
   *   ended         nothing                                done            or the exception that it has thrown
   *
   * Each call has a tag of its own, never used again: a completion that comes for another one (a
   * command that the limit has overtaken) is of no interest to anybody. proc-188. The tags begin
   * where those of nobody else are: this process may have taken the place of another one, whose
   * commands have no result yet.
   *
   * The body runs within steps only, so its fields and those of the process are one thread's; see
   * ProcessFiber for the thread and the end.
   *
   * A time limit is no command: a timer wakes the process, and the clock says whether the limit of
   * this wait is over. So what wakes it late, of a wait that has ended, ends no other. All waits
   * share that timer.
   *
   * The body reads the mailbox itself: what it has not received lies there, and counts to the
   * bound (Unread). Its steps are given results only. Of a body within another process, which is
   * given the messages and hands them on, the inbox is a list.
   */

  /// The body of a process that is made of a lambda.
  @FunctionalInterface
  public interface Body {
    /// Runs as [CoroutineProcess#run] does.
    @Nullable Object run(CoroutineProcess self) throws Exception;
  }

  private static final int REFUSALS = 16; // waits of an ended process before it leaves its worker

  private boolean reportsReady; // written before the start
  private @Nullable ProcessContext context;
  private @Nullable ProcessFiber thread;
  private String entryPoint = RUN;
  private @Nullable Object input;

  // what has come and was not received
  private @Nullable ReceiveQueue receiveQueue;

  // the wait of the body
  private final List<StepOutput.Yield> requestedCommands = new ArrayList<>(2);
  private long lastTag = Long.MIN_VALUE;
  private long commandTag;
  private @Nullable ProcessEvent commandResult;
  private boolean receives;
  private @Nullable WaitTimeout timer; // of all waits with a limit
  private int refusals;

  // the body; read for reports
  private @Nullable ProcessCommand<?> executing;
  private @Nullable Duration limited; // the wait has this limit

  // what the body wants to become
  private StepOutput.@Nullable Upgrade upgrade;
  private boolean replaced;

  // how the body has ended
  private @Nullable Object result;
  private @Nullable Throwable failure;

  /// A process that has not begun.
  protected CoroutineProcess() {}

  /// A process of a body.
  public static CoroutineProcess of(Body body) {
    Objects.requireNonNull(body, "body");
    return new CoroutineProcess() {
      @Override
      protected @Nullable Object run(@Nullable Object input) throws Exception {
        return body.run(this);
      }
    };
  }

  /// Lets this process count as started when its body has called [#ready()], and not before. To be
  /// said before it is spawned. A class of yours overrides [#reportsReady()] instead.
  ///
  /// ```java
  /// CoroutineProcess.of(self -> {
  ///   var database = connect(self); // whoever is after this process waits until here
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
          context.self() + " has begun; say reportingReady() before it is spawned");
    }
    reportsReady = true;
    return this;
  }

  /// Whether [#reportingReady()] was said. A class whose body calls [#ready()] returns true.
  @Override
  public boolean reportsReady() {
    return reportsReady;
  }

  /// The body. The process ends with it: normally, with what it returns; failed, with what it
  /// throws.
  ///
  /// @param input what the process was started with
  protected abstract @Nullable Object run(@Nullable Object input) throws Exception;

  // ---- for the body ----

  /// What the process knows of itself, and can do at once.
  ///
  /// @throws IllegalStateException before the process has begun
  public final ProcessContext context() {
    if (context == null) {
      throw new IllegalStateException("the process has not begun; spawn it");
    }
    return context;
  }

  /// The entry point it was started with.
  public final String entryPoint() {
    return entryPoint;
  }

  /// What it was started with.
  public final @Nullable Object input() {
    return input;
  }

  /// Says that this process has started: [ProcessContext#ready()].
  ///
  /// @throws IllegalStateException when the process does not report it: [#reportingReady()]
  public final void ready() {
    context().ready();
  }

  /// Lets another process take the place of this one, as [StepOutput#upgrade] does: it keeps the
  /// PID, names, links and monitors, and the mailbox. What this body has not received the other one
  /// is given first, in order.
  ///
  /// This call does not return. It throws [Cancellation], and so does each later wait of this body:
  /// `finally` blocks run, and what they do without waiting is done before the other process
  /// begins. Commands that are on their way are the other one's.
  ///
  /// A body that catches that and goes on is on its own: from the moment at which the other process
  /// begins, [#context()] refuses it what is the other's, with an [IllegalStateException]:
  /// [ProcessContext] says what it may still call.
  ///
  /// A body that runs within another process does the same with that process, which passes on the
  /// output of its step.
  ///
  /// @param source what the runtime's factory makes a process of; where it fails, this process does
  /// @param entry a method of that
  /// @param with for its init
  /// @throws Cancellation always
  /// @throws PinnedException where the body cannot be taken off its worker; nothing was done
  public final void upgrade(String source, String entry, @Nullable Object with) {
    ProcessFiber body = currentFiber("upgrade");
    Objects.requireNonNull(source, "source");
    upgrade = new StepOutput.Upgrade(source, Objects.requireNonNull(entry, "entry"), with);
    try {
      suspend(body);
    } finally {
      upgrade = null;
    }
    throw new IllegalStateException("an upgraded body is resumed only to end it");
  }

  /// Waits for the next message or [ProcessSignal]. **Suspends** when none is there.
  ///
  /// @throws Cancellation when somebody has ended the process
  /// @throws PinnedException where the body cannot be taken off its worker
  public final @Nullable Object receive() {
    return receive(_ -> true);
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when nothing has come
  public final @Nullable Object receive(Duration limit) {
    return receive(_ -> true, limit);
  }

  /// Waits for the next message or signal of a class; others stay where they are, in order, and
  /// count to the bound of the mailbox until they are received.
  public final <T> T receive(Class<T> type) {
    return type.cast(Objects.requireNonNull(receive(type::isInstance)));
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when nothing has come
  public final <T> T receive(Class<T> type, Duration limit) {
    return type.cast(Objects.requireNonNull(receive(type::isInstance, limit)));
  }

  /// Waits for the next message or signal that is wanted; others stay where they are, in order.
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

  /// Has a command carried out. **Suspends** always. Messages wait in the mailbox meanwhile.
  ///
  /// Throws what the command has failed with: the same object, be it checked or not. The compiler
  /// does not know of checked ones: [#execute(ProcessCommand, Class)] declares the one that is
  /// expected.
  ///
  /// @param <R> of the result
  /// @throws Cancellation when somebody has ended the process; the command is cancelled
  /// @throws PinnedException where the body cannot be taken off its worker; nothing was done
  public final <R extends @Nullable Object> R execute(ProcessCommand<R> processCommand) {
    return executeWithin(processCommand, null);
  }

  /// The same, for a limited time. A result that is on its way when the time is over is waited for.
  ///
  /// @throws DeadlineException when there was no result; the command is cancelled
  public final <R extends @Nullable Object> R execute(
      ProcessCommand<R> processCommand, Duration limit) {
    return executeWithin(processCommand, Objects.requireNonNull(limit, "limit"));
  }

  /// Has a command carried out that may fail with a checked exception: the compiler lets a `catch`
  /// of that class stand around it.
  ///
  /// @param <X> of the failure
  /// @param failure the checked exception that the command is known to fail with
  /// @throws X when the command has failed with it
  /// @throws UndeclaredThrowableException when the command has failed with another checked
  ///   exception, which is its cause
  /// @throws Cancellation when somebody has ended the process; the command is cancelled
  public final <R extends @Nullable Object, X extends Exception> R execute(
      ProcessCommand<R> processCommand, Class<X> failure) throws X {
    return executeDeclared(processCommand, null, failure);
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when there was no result; the command is cancelled
  public final <R extends @Nullable Object, X extends Exception> R execute(
      ProcessCommand<R> processCommand, Duration limit, Class<X> failure) throws X {
    return executeDeclared(processCommand, Objects.requireNonNull(limit, "limit"), failure);
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
          throw new DeadlineException("no message that was wanted has come within " + limit);
        }
      }
    } finally {
      receives = false;
      endWait();
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the dispatcher ties a command to its R
  private <R extends @Nullable Object> R executeWithin(
      ProcessCommand<R> processCommand, @Nullable Duration limit) {
    ProcessFiber body = currentFiber("call");
    Objects.requireNonNull(processCommand, "command");
    try {
      executing = processCommand;
      beginWait(limit);
      commandTag = requestCommand(processCommand); // last: reports show what was yielded last
      while (commandResult == null) {
        suspend(body);
        if (commandResult == null && isTimeUp() && context().cancelCommand(commandTag)) {
          throw new DeadlineException(processCommand + " has no result within " + limit);
        }
        if (commandResult == null && isTimeUp()) {
          endLimit(); // the answer is on its way: whoever gave it was told that it is taken
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
      ProcessCommand<R> processCommand, @Nullable Duration limit, Class<X> declared) throws X {
    Objects.requireNonNull(declared, "failure");
    try {
      return executeWithin(processCommand, limit);
    } catch (Throwable t) {
      if (declared.isInstance(t)) {
        throw declared.cast(t);
      }
      if (t instanceof RuntimeException || t instanceof Error) {
        throw Rethrow.unchecked(t);
      }
      throw new UndeclaredThrowableException(
          t, processCommand + " has failed with " + t + ", and not with " + declared.getName());
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
        Thread.yield(); // whoever goes on for ever does so on no worker of ours
      }
      throw ended();
    }
    return body;
  }

  private Cancellation ended() {
    String what =
        replaced
            ? " runs another process in the place of this body"
            : context().exit() == null ? " continues without this body" : " has ended";
    return new Cancellation(context().self() + what + "; nothing will come any more");
  }

  private long requestCommand(ProcessCommand<?> processCommand) {
    requestedCommands.add(new StepOutput.Yield(++lastTag, processCommand));
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
    requestedCommands
        .clear(); // what was not asked for yet, because the body could not leave its worker
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
    receiveQueue = // not asked of the context: a process around this one may have put its own
        // before ours
        self.self() instanceof LocalPid pid && pid.receiver() instanceof ReceiveQueue.Source live
            ? live.receiveQueueOf(this)
            : new ForwardedReceiveQueue(CoroutineProcess::leftUnseen);
  }

  /// Of a body that runs in no runtime: a test makes its steps.
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
      for (StepOutput.Yield order : requestedCommands) {
        out.yield(order.tag(), order.command());
      }
      requestedCommands.clear();
      if (limited != null && timer != null && !timer.willWake()) {
        out.continueNow(); // its time is over, or will be in a moment
      } else if (receives) {
        out.idle();
      } else {
        out.awaitCommands();
      }
    }
  }

  /// The body of a process, as reports see it; null when it has none, or that has not begun.
  static @Nullable FiberView fiberOf(Process process) {
    // safe: fields of the body and the worker, read at some moment; what they lead to is immutable
    ProcessFiber body = process instanceof CoroutineProcess p ? p.thread : null;
    return body == null ? null : ((CoroutineProcess) process).view(body);
  }

  private FiberView view(ProcessFiber body) {
    Awaited awaited = body.awaited();
    if (awaited != null) {
      return new FiberView(body, awaited.words(), awaited.limit());
    }
    ProcessCommand<?> processCommand = executing;
    String call = processCommand == null ? null : processCommand.getClass().getSimpleName();
    return new FiberView(body, receives ? "receive" : call, limited);
  }

  private void runBody() {
    try {
      result = run(input);
    } catch (Throwable t) {
      failure = t;
      if (ProcessFiber.isDetached() && !isEndRequest(t)) { // no step looks at that any more
        UninterruptibleLog.write(
            Level.WARNING,
            "the body of "
                + context().self()
                + " has failed, which had ended or went on without it",
            t);
      }
    }
  }

  private static boolean isEndRequest(Throwable t) {
    return t instanceof Cancellation || t instanceof InterruptedException;
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
