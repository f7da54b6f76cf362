// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import dev.heddle.process.Exit;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessExitException;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Ref;
import dev.heddle.process.Request;
import dev.heddle.process.StepOutput;
import dev.heddle.process.TypedProcess;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.event.EventBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The common base of [GenServer] and [StateMachine]: a typed process that runs in steps and needs
/// no stack of its own. Its code is called with one message after the other and must not block: it
/// starts long work with [#execute], whose result comes as a message.
///
/// Its fields are its state and need no lock. Whatever its code throws ends the process. The
/// protected methods are for that code, on the worker that calls it.
///
/// A [ProcessSignal] goes to [#signal]. Anything that is neither a signal nor a message of the
/// protocol goes to [#info]: an untyped message of another class, and an untyped `ask`, whose reply
/// is not in the message.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=behavior}
///
/// @param <M> of its messages
/// @since 0.1
public abstract sealed class Behavior<M> implements TypedProcess<M>
    permits GenServer, StateMachine {
  /*
   * Order. One handler runs at a time. Messages that a handler queues with continueWith() and
   * unstashAll() are in the agenda: in the order of the calls, before what was in the agenda
   * already, and before everything from outside. Events of the step follow when the agenda has no
   * message.
   *
   * Fairness. A step handles at most MAX_INTERNAL_PER_STEP messages of the agenda. If more are
   * left, it calls continueBeforeMessages(). Then other processes run, a request to end this
   * process takes effect between the two steps, and the runtime keeps the events of this step that
   * were not handled. The next step gets only those, so the mailbox keeps its bound and senders see
   * that it is full.
   *
   * Commands are passed on at the end of the step, in the order in which they were requested; those
   * of init() in the first step. If a handler throws, the step still passes on the commands
   * requested before. Which messages share a step is accidental, so a handler must not lose its
   * commands to the failure of a later one.
   *
   * The end. A handler that stops or throws is the last one. Undelivered events of its step, and
   * the messages in the agenda and the stash, become dead letters; their askers learn of the end of
   * the process, like the askers of all open requests. A process that is replaced by upgrade()
   * passes these messages on instead.
   *
   * Cost. Five fields; the agenda (timers, commands, stash) is created at its first use.
   *
   * Rejected. Reading the mailbox while the agenda has messages: the order would depend on their
   * number. Passing on commands after each handler: a timer that each message restarts would go
   * through the wheel each time.
   */
  private final Class<M> protocol;
  private @Nullable ProcessContext context;
  private @Nullable BehaviorAgenda<M> agenda;
  private @Nullable End end;
  private boolean terminated;

  /// How the process ends after the present handler.
  private sealed interface End {}

  private record Stop(@Nullable Object result) implements End {}

  private record Shutdown(@Nullable Object detail) implements End {}

  private record Upgrade(String source, String entryPoint, @Nullable Object input) implements End {}

  Behavior(Class<M> protocol) {
    this.protocol = Objects.requireNonNull(protocol, "protocol");
  }

  // ---- overridden by programs ----

  /// Called once, before the first message.
  ///
  /// @param input with which the process was started
  protected void init(@Nullable Object input) throws Exception {}

  /// Called with a signal: of a monitor, of a link, or to end. Only a process that traps exits gets
  /// signals other than [ProcessSignal.Down] and [ProcessSignal.Undelivered].
  ///
  /// By default, [ProcessSignal.Cancel] and [ProcessSignal.ExitRequest] end the process
  /// deliberately, as [#shutdown] does; [ProcessSignal.LinkDown] ends it with the same reason,
  /// cause and detail as if it did not trap exits, by [ProcessExitException#linked]; and
  /// [ProcessSignal.Down] and [ProcessSignal.Undelivered] do nothing.
  protected void signal(ProcessSignal signal) throws Exception {
    switch (signal) {
      case ProcessSignal.Cancel _ -> shutdown();
      case ProcessSignal.ExitRequest request -> shutdown(request.detail());
      case ProcessSignal.LinkDown(Exit exit) -> throw ProcessExitException.linked(exit);
      case ProcessSignal.Down _, ProcessSignal.Undelivered _ -> {
        // a process that monitors others, or traps undelivered messages, overrides this
      }
    }
  }

  /// Called with anything that is neither a signal nor a message of the protocol.
  ///
  /// By default it becomes a [DeadLetter], `UNHANDLED`, and is logged; an untyped `ask` fails.
  ///
  /// @param message that was sent; of an untyped `ask` the [Request]
  protected void info(@Nullable Object message) throws Exception {
    events().unhandled(message, context().self(), protocol);
  }

  /// Called once, when the process ends for whatever reason; also when `init` has failed. Not
  /// called for a process that ends before its `init`, nor for one that was replaced by [#upgrade]:
  /// its replacement is called at the end.
  ///
  /// @param exit how it ends
  protected void terminate(Exit exit) throws Exception {}

  /// The capacity of [#stash] in messages; 1,000 by default. Called once.
  protected int stashCapacity() {
    return 1_000;
  }

  // ---- for the code of the program ----

  /// The context of the process.
  ///
  /// @throws IllegalStateException before `init`
  protected final ProcessContext context() {
    if (context == null) {
      throw new IllegalStateException("the process is not spawned yet; use its context in init()");
    }
    return context;
  }

  /// A reference to this process.
  protected final Ref<M> self() {
    return context().runtime().ref(context().self(), protocol);
  }

  /// Ends the process normally, after this handler.
  protected final void stop() {
    stop(null);
  }

  /// Ends the process normally, after this handler, with a result.
  protected final void stop(@Nullable Object result) {
    end = new Stop(result);
  }

  /// Ends the process deliberately, after this handler, with [Exit.Reason#SHUTDOWN]: supervisors do
  /// not restart a TRANSIENT child for this. To fail, throw; to end with another reason, throw a
  /// [dev.heddle.process.ProcessExitException].
  protected final void shutdown() {
    shutdown(null);
  }

  /// The same, with a detail of the program for [Exit#detail].
  protected final void shutdown(@Nullable Object detail) {
    end = new Shutdown(detail);
  }

  /// Replaces this process by another, after this handler, as [StepOutput#upgrade] does. PID,
  /// names, links, monitors and mailbox stay. Pass the state of this one as `input`. The
  /// replacement first gets the messages of [#continueWith], then the stashed ones.
  ///
  /// Timers and the idle timeout are stopped. A pending command continues, but its result is
  /// dropped: the `init` of the replacement starts what it needs.
  ///
  /// @param source from which the runtime's factory makes a process; if it fails, this process does
  /// @param entryPoint of the replacement, for its `init`
  /// @param input for the replacement's `init`
  protected final void upgrade(String source, String entryPoint, @Nullable Object input) {
    end =
        new Upgrade(
            Objects.requireNonNull(source, "source"),
            Objects.requireNonNull(entryPoint, "entryPoint"),
            input);
  }

  /// Handles a message after this handler, before everything from outside, signals included: for a
  /// long start, or a step that follows from this one. Several are handled in the order of the
  /// calls.
  ///
  /// While a process continues again and again, other processes still run in between, and it can be
  /// terminated. Other messages wait in the mailbox, within its bound. A process that traps exits
  /// sees a request to end only when it has nothing to continue with, or is terminated at the
  /// deadline. For endless work, use [#startTimer] without a delay, which lets waiting messages go
  /// first.
  protected final void continueWith(M message) {
    agenda().continueWith(Objects.requireNonNull(message, "message"));
  }

  /// Executes a command, whose result comes as a message. If the command fails, the process ends.
  ///
  /// The command starts when all messages of this step are handled; also when this handler, or a
  /// later one, throws.
  ///
  /// @param <R> of the result
  /// @param command from [dev.heddle.process.Commands], or your own
  /// @param done makes a message from the result, or null for none
  /// @return for [#cancelCommand]
  protected final <R extends @Nullable Object> long execute(
      ProcessCommand<R> command, Function<? super R, ? extends @Nullable M> done) {
    return agenda().command(command, done, null);
  }

  /// The same for a command that may fail.
  ///
  /// @param failed makes a message from the failure, or null for none
  /// @return for [#cancelCommand]
  protected final <R extends @Nullable Object> long execute(
      ProcessCommand<R> command,
      Function<? super R, ? extends @Nullable M> done,
      Function<? super Throwable, ? extends @Nullable M> failed) {
    return agenda().command(command, done, Objects.requireNonNull(failed, "failed"));
  }

  /// Cancels a command: its result or failure brings no message.
  ///
  /// @return false when its message was handled
  protected final boolean cancelCommand(long command) {
    return agenda != null && agenda.cancel(command, context());
  }

  /// Handles a message when a time has passed. A timer with the same key is stopped before, and
  /// brings no message any more.
  ///
  /// Messages that have arrived before the time are handled first, as in the mailbox of an OTP
  /// process. If one of them stops the timer, it was in time, however late the process runs.
  ///
  /// @param key by its `equals`
  protected final void startTimer(Object key, Duration after, M message) {
    agenda().startTimer(key, after, message, context());
  }

  /// Handles a message at each multiple of a period since the start of the runtime, until
  /// [#stopTimer]. Ticks that a slow process has missed do not come later. **Order** as for
  /// [#startTimer].
  protected final void startTicks(Object key, Duration period, M message) {
    agenda().startTicks(key, period, message, context());
  }

  /// Stops a timer: it brings no message any more.
  ///
  /// @return false when there is none with that key, or its message was handled
  protected final boolean stopTimer(Object key) {
    return agenda != null && agenda.stopTimer(key, context());
  }

  /// Handles a message whenever nothing was sent to the process for a time, and again after each
  /// such time. Another call replaces the timeout.
  ///
  /// The time begins when the last message or signal was handled. A message that is in the mailbox
  /// when the time is over has come in time: it is handled, and the time begins again. Timers and
  /// results of commands do not count as sent.
  protected final void setIdleTimeout(Duration time, M message) {
    agenda().idleTimeout(time, message, context());
  }

  /// Ends the idle timeout.
  protected final void cancelIdleTimeout() {
    if (agenda != null) {
      agenda.stopIdleTimeout(context());
    }
  }

  /// Keeps a message for later, in order: until [#unstashAll].
  ///
  /// @throws StashFullException when [#stashCapacity] messages are kept
  protected final void stash(M message) {
    agenda().stash(this::stashCapacity).add(message);
  }

  /// Handles all stashed messages after this handler, in order, before other messages. A message
  /// that is stashed again waits for the next call.
  protected final void unstashAll() {
    if (agenda != null) {
      agenda.unstashAll();
    }
  }

  // ---- implemented by the two templates ----

  abstract void handle(M message) throws Exception;

  /// Called before an event from outside is handled; ends event timeouts.
  void beforeExternal() {}

  /// Called at the end of `init`.
  void begin() throws Exception {}

  final BehaviorAgenda<M> agenda() {
    BehaviorAgenda<M> made = agenda;
    if (made == null) {
      agenda = made = new BehaviorAgenda<>();
    }
    return made;
  }

  // ---- the process ----

  @Override
  public final Class<M> protocol() {
    return protocol;
  }

  @Override
  public final void init(ProcessContext self, String method, @Nullable Object input)
      throws Exception {
    if (context != null) {
      throw new IllegalStateException(
          "a %s runs once, and this one is %s; make another one"
              .formatted(getClass().getName(), context.self()));
    }
    context = self;
    init(input);
    begin();
  }

  @Override
  public final void step(List<ProcessEvent> events, StepOutput out) throws Exception {
    Iterator<ProcessEvent> left = events.iterator();
    if (agenda != null) {
      agenda.stepBegins();
    }
    try {
      boolean isNext = drain();
      while (isNext && left.hasNext()) {
        take(left.next());
        isNext = drain();
      }
    } catch (Throwable t) {
      leaveUnhandled(left); // throws nothing, which would hide this failure
      if (agenda == null) {
        throw t;
      }
      agenda.yieldCommands(out, true);
      out.failWith(t);
      return;
    }
    if (agenda != null) {
      agenda.yieldCommands(out, end != null);
    }
    writeOutput(out, left);
  }

  private void writeOutput(StepOutput out, Iterator<ProcessEvent> left) {
    switch (end) {
      case Stop(Object result) -> {
        out.done(result);
        leaveUnhandled(left);
      }
      case Shutdown(Object detail) -> {
        out.shutdown(detail);
        leaveUnhandled(left);
      }
      case Upgrade(String source, String entryPoint, Object input) ->
          out.upgrade(source, entryPoint, input, takeUnhandled());
      case null -> {
        if (agenda != null && agenda.hasInternal()) {
          out.continueBeforeMessages();
        }
      }
    }
  }

  private List<M> takeUnhandled() {
    List<M> all = new ArrayList<>();
    if (agenda != null) {
      agenda.cancelTimes(context());
      for (M next; (next = agenda.pollLeft()) != null; ) {
        all.add(next);
      }
    }
    return all;
  }

  /// Handles the messages of the agenda.
  ///
  /// @return true when events from outside are next; false when the step is over
  private boolean drain() throws Exception {
    while (end == null) {
      BehaviorAgenda<M> own = agenda; // the last handler may have created it
      if (own == null) {
        return true;
      }
      M next = own.isBudgetSpent() ? null : own.next();
      if (next == null) {
        return !own.hasInternal();
      }
      if (context().exit() != null) {
        own.continueWith(next); // the process was ended: it becomes a dead letter
        return false;
      }
      handle(next);
      own.handled();
    }
    return false;
  }

  private void take(ProcessEvent event) throws Exception {
    if (!event.isMessage()) {
      M message = agenda == null ? null : agenda.completed(event);
      if (message != null) {
        handle(message);
      }
      return;
    }
    beforeExternal();
    Object data = event.data();
    Object message =
        data instanceof Request request && request.isTyped() ? request.message() : data;
    if (data instanceof ProcessSignal signal) {
      signal(signal);
    } else if (protocol.isInstance(message)) {
      handle(protocol.cast(message));
    } else {
      info(data);
    }
    if (agenda != null) {
      agenda.handled();
    }
  }

  /// Publishes the messages that the process will not handle.
  private void leaveUnhandled(Iterator<ProcessEvent> events) {
    try {
      EventBus stream = events();
      if (stream.hasSubscribers(DeadLetter.class)) {
        publishAll(stream, events);
      }
    } catch (Throwable _) {
      return; // safe: no code waits for a dead letter, and the process ends
    }
  }

  private void publishAll(EventBus stream, Iterator<ProcessEvent> events) {
    while (events.hasNext()) {
      ProcessEvent event = events.next();
      if (event.isMessage() && !(event.data() instanceof ProcessSignal)) {
        publishUnhandled(stream, event.data());
      }
    }
    for (M next; agenda != null && (next = agenda.pollLeft()) != null; ) {
      publishUnhandled(stream, next);
    }
  }

  private void publishUnhandled(EventBus stream, @Nullable Object message) {
    if (!(message instanceof Request request && request.isForwarded())) { // another process has it
      stream.deadLetter(message, context().self(), DeadLetter.Reason.RECEIVER_ENDED);
    }
  }

  private EventBus events() {
    return context().runtime().events();
  }

  @Override
  public final void close() throws Exception {
    Exit exit = context == null ? null : context.exit();
    if (exit != null && !terminated) { // a failed second spawn closes it too
      terminated = true;
      try {
        terminate(exit);
      } finally {
        leaveUnhandled(Collections.emptyIterator()); // what is left when it was terminated
      }
    }
  }
}
