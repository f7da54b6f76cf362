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

/// What [GenServer] and [StateMachine] have in common: a typed process that is stepped, and needs
/// no stack of its own. Its code is called with one message after the other, and must not wait:
/// what takes time it asks for by [#execute], and the result comes as a message.
///
/// Its fields are its state, and need no lock. Whatever its code throws ends the process, as in any
/// other. The protected methods are for that code, on the worker that calls it.
///
/// A [ProcessSignal] goes to [#signal]. What is neither a signal nor a message of the protocol goes
/// to [#info]: a message of another class that was sent untyped, and an untyped `ask`, whose reply
/// is not in the message.
///
/// @param <M> of its messages
/// @since 0.1
public abstract sealed class Behavior<M> implements TypedProcess<M>
    permits GenServer, StateMachine {
  /*
   * Order. One handler at a time. What a handler asks to be handled next, by continueWith and
   * unstashAll, stands in the agenda, in the order of its calls, before what was there before, and
   * before all that comes from outside. Events of the step follow when nothing is ahead.
   *
   * Turns. A step handles MAX_INTERNAL_PER_STEP messages of its own at most. When more is ahead it
   * says continueBeforeMessages(): others have their turn, whoever ends it finds it between two
   * steps, and what it has not looked at of its events is kept by the runtime. Its next step is
   * given those only, so that the mailbox keeps its bound, and senders are told that it is full.
   *
   * Commands are handed out at the end of the step, in the order in which they were asked for;
   * those of init in the first step. A step in which a handler throws hands out what was asked for
   * until then: which messages share a step is chance, so a handler must not lose what it has
   * asked for to the failure of a later one.
   *
   * The end. A handler that stops, or throws, is the last one. What its step was handed and had
   * not looked at, and what is ahead or in the stash, are dead letters; their askers are told by
   * the end of the process, as those of all open requests. One that another takes the place of
   * hands these on instead.
   *
   * Cost. Five fields; the agenda (timers, commands, stash) is made with the first use.
   *
   * Rejected. A look at the mailbox while something is ahead: what comes first would depend on how
   * much is ahead. Commands that are handed out behind each handler: a timer that each message
   * starts anew would go through the wheel each time.
   */
  private final Class<M> protocol;
  private @Nullable ProcessContext context;
  private @Nullable BehaviorAgenda<M> behaviorAgenda;
  private @Nullable End end;
  private boolean terminated;

  /// How it leaves its place, behind the handler that has said so.
  private sealed interface End {}

  private record Stop(@Nullable Object result) implements End {}

  private record Shutdown(@Nullable Object detail) implements End {}

  private record Upgrade(String source, String method, @Nullable Object input) implements End {}

  Behavior(Class<M> protocol) {
    this.protocol = Objects.requireNonNull(protocol, "protocol");
  }

  // ---- what a program says ----

  /// Called once, before the first message.
  ///
  /// @param input what the process was started with
  protected void init(@Nullable Object input) throws Exception {}

  /// Called with a signal: of a monitor, of a link, or to end. Signals other than
  /// [ProcessSignal.Down] come only to a process that traps exits.
  ///
  /// Where this is not overridden: [ProcessSignal.Cancel] and [ProcessSignal.ExitRequest] end the
  /// process on purpose, as [#shutdown] does; [ProcessSignal.LinkDown] ends it with the same
  /// reason, cause and detail as if it did not trap exits, by [ProcessExitException#linked];
  /// [ProcessSignal.Down] does nothing.
  protected void signal(ProcessSignal processSignal) throws Exception {
    switch (processSignal) {
      case ProcessSignal.Cancel _ -> shutdown();
      case ProcessSignal.ExitRequest request -> shutdown(request.detail());
      case ProcessSignal.LinkDown(Exit exit) -> throw ProcessExitException.linked(exit);
      case ProcessSignal.Down _ -> {
        // whoever monitors another overrides this
      }
    }
  }

  /// Called with what is neither a signal nor a message of the protocol.
  ///
  /// Where this is not overridden it is a [DeadLetter], `UNHANDLED`, and logged; an untyped `ask`
  /// fails.
  ///
  /// @param message that was sent; of an untyped `ask` the [Request]
  protected void info(@Nullable Object message) throws Exception {
    events().unhandled(message, context().self(), protocol);
  }

  /// Called once, when the process ends, however that comes; also when `init` has failed. Not of a
  /// process that ends before it has begun, and not when another takes its place, by [#upgrade]:
  /// that one is told of the end then.
  ///
  /// @param exit how it ends
  protected void terminate(Exit exit) throws Exception {}

  /// How many messages [#stash] keeps; 1,000 where this is not overridden. Asked once.
  protected int stashCapacity() {
    return 1_000;
  }

  // ---- what its code may do ----

  /// What the process knows of itself, and can do at once.
  ///
  /// @throws IllegalStateException before the process has begun
  protected final ProcessContext context() {
    if (context == null) {
      throw new IllegalStateException("the process has not begun; spawn it, and use init()");
    }
    return context;
  }

  /// What leads to this process.
  protected final Ref<M> self() {
    return context().runtime().ref(context().self(), protocol);
  }

  /// Ends the process normally, behind this handler.
  protected final void stop() {
    stop(null);
  }

  /// Ends the process normally, behind this handler, with a result.
  protected final void stop(@Nullable Object result) {
    end = new Stop(result);
  }

  /// Ends the process on purpose, behind this handler: with [Exit.Reason#SHUTDOWN], for which
  /// supervisors do not restart a TRANSIENT child. One that has failed throws; a reason of its own
  /// goes with a [dev.heddle.process.ProcessExitException].
  protected final void shutdown() {
    shutdown(null);
  }

  /// The same, with a reason in the program's own terms, for [Exit#detail].
  protected final void shutdown(@Nullable Object detail) {
    end = new Shutdown(detail);
  }

  /// Lets another process take the place of this one, behind this handler, as [StepOutput#upgrade]
  /// does: it keeps the PID, names, links, monitors and the mailbox. What this one knows goes with
  /// `input`. What it continues with, and then what is stashed, the other one is given first.
  ///
  /// Timers and the idle timeout are stopped. A command that is on its way goes on, and its result
  /// is for nobody: the `init` of the other one starts what it needs.
  ///
  /// @param source what the runtime's factory makes a process of; where it fails, this process does
  /// @param method of that
  /// @param input for its init
  protected final void upgrade(String source, String method, @Nullable Object input) {
    end =
        new Upgrade(
            Objects.requireNonNull(source, "source"),
            Objects.requireNonNull(method, "method"),
            input);
  }

  /// Handles a message behind this handler, before all that comes from outside, signals too: for a
  /// long start, or a step that follows from this one. Several are handled in the order of their
  /// calls.
  ///
  /// A server that continues again and again lets other processes run in between, and whatever ends
  /// it without asking ends it. What has come waits in the mailbox meanwhile, within its bound: one
  /// that traps exits sees that it is to end only when it has nothing to continue with, or is ended
  /// at the deadline. Work without an end goes on by a [#startTimer] without a delay, which lets
  /// what has come go first.
  protected final void continueWith(M message) {
    agenda().continueWith(Objects.requireNonNull(message, "message"));
  }

  /// Has a command carried out; its result comes as a message. A failure of it ends the process.
  ///
  /// It is handed out when the messages that this step was given are handled, and in any case: also
  /// when this handler, or a later one, throws.
  ///
  /// @param <R> of the result
  /// @param processCommand from [dev.heddle.process.Commands], or of your own
  /// @param done makes a message of the result, or null for none
  /// @return for [#cancelCommand]
  protected final <R extends @Nullable Object> long execute(
      ProcessCommand<R> processCommand, Function<? super R, ? extends @Nullable M> done) {
    return agenda().command(processCommand, done, null);
  }

  /// The same for one that may fail.
  ///
  /// @param failed makes a message of what it has failed with, or null for none
  /// @return for [#cancelCommand]
  protected final <R extends @Nullable Object> long execute(
      ProcessCommand<R> processCommand,
      Function<? super R, ? extends @Nullable M> done,
      Function<? super Throwable, ? extends @Nullable M> failed) {
    return agenda().command(processCommand, done, Objects.requireNonNull(failed, "failed"));
  }

  /// Calls a command off: no message comes of it.
  ///
  /// @return false when its message was handled
  protected final boolean cancelCommand(long command) {
    return behaviorAgenda != null && behaviorAgenda.cancel(command, context());
  }

  /// Handles a message when a time has passed. The timer of the same key, if there is one, is
  /// stopped before: no message of it comes any more.
  ///
  /// Messages that have come before it are handled before it, as in the mailbox of an OTP process:
  /// where one of them stops the timer, it was in time, however late the process is.
  ///
  /// @param key by its `equals`
  protected final void startTimer(Object key, Duration after, M message) {
    agenda().startTimer(key, after, message, context());
  }

  /// Handles a message at each multiple of a period since the start of the runtime. Ticks that a
  /// slow process has missed do not come later. Stopped by [#stopTimer]. **Order** as of
  /// [#startTimer].
  protected final void startTicks(Object key, Duration period, M message) {
    agenda().startTicks(key, period, message, context());
  }

  /// Stops a timer: no message of it comes any more.
  ///
  /// @return false when there is none of that key, or its message was handled
  protected final boolean stopTimer(Object key) {
    return behaviorAgenda != null && behaviorAgenda.stopTimer(key, context());
  }

  /// Handles a message whenever nothing was sent to the process for a time, and again after each
  /// such time. Another call replaces the one before.
  ///
  /// The time begins when the last message or signal was handled. One that lies in the mailbox when
  /// the time is over has come in time: it is handled, and the time begins anew. Timers and results
  /// of commands do not count as sent.
  protected final void setIdleTimeout(Duration time, M message) {
    agenda().idleTimeout(time, message, context());
  }

  /// Ends that.
  protected final void cancelIdleTimeout() {
    if (behaviorAgenda != null) {
      behaviorAgenda.stopIdleTimeout(context());
    }
  }

  /// Keeps a message for later, in order: until [#unstashAll].
  ///
  /// @throws StashFullException when [#stashCapacity] messages are kept
  protected final void stash(M message) {
    agenda().stash(this::stashCapacity).add(message);
  }

  /// Handles all that is stashed behind this handler, in order, before other messages. What is
  /// stashed again waits for the next time.
  protected final void unstashAll() {
    if (behaviorAgenda != null) {
      behaviorAgenda.unstashAll();
    }
  }

  // ---- what the two templates say ----

  /// Handles one message.
  abstract void handle(M message) throws Exception;

  /// Something has come from outside, and is handled next: for timeouts that it ends.
  void beforeExternal() {}

  /// The first step begins.
  void begin() throws Exception {}

  final BehaviorAgenda<M> agenda() {
    BehaviorAgenda<M> made = behaviorAgenda;
    if (made == null) {
      behaviorAgenda = made = new BehaviorAgenda<>();
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
          "a "
              + getClass().getName()
              + " runs once, and this one is "
              + context.self()
              + "; make another one");
    }
    context = self;
    init(input);
    begin();
  }

  @Override
  public final void step(List<ProcessEvent> events, StepOutput out) throws Exception {
    Iterator<ProcessEvent> left = events.iterator();
    if (behaviorAgenda != null) {
      behaviorAgenda.stepBegins();
    }
    try {
      boolean isNext = drain();
      while (isNext && left.hasNext()) {
        take(left.next());
        isNext = drain();
      }
    } catch (Throwable t) {
      leaveUnhandled(left); // its own failure would hide this one: it has none
      if (behaviorAgenda == null) {
        throw t;
      }
      behaviorAgenda.yieldCommands(out, true);
      out.failWith(t);
      return;
    }
    if (behaviorAgenda != null) {
      behaviorAgenda.yieldCommands(out, end != null);
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
      case Upgrade(String source, String method, Object input) ->
          out.upgrade(source, method, input, takeUnhandled());
      case null -> {
        if (behaviorAgenda != null && behaviorAgenda.hasInternal()) {
          out.continueBeforeMessages();
        }
      }
    }
  }

  private List<M> takeUnhandled() {
    List<M> all = new ArrayList<>();
    if (behaviorAgenda != null) {
      behaviorAgenda.cancelTimes(context());
      for (M next; (next = behaviorAgenda.pollLeft()) != null; ) {
        all.add(next);
      }
    }
    return all;
  }

  /// Handles what is to be handled before all that comes from outside.
  ///
  /// @return whether that is next now; else the step is over
  private boolean drain() throws Exception {
    while (end == null) {
      BehaviorAgenda<M> own = behaviorAgenda; // the last handler may have made it
      if (own == null) {
        return true;
      }
      M next = own.isBudgetSpent() ? null : own.next();
      if (next == null) {
        return !own.hasInternal();
      }
      if (context().exit() != null) {
        own.continueWith(next); // somebody has ended it: for those that are left
        return false;
      }
      handle(next);
      own.handled();
    }
    return false;
  }

  private void take(ProcessEvent event) throws Exception {
    if (!event.isMessage()) {
      M message = behaviorAgenda == null ? null : behaviorAgenda.completed(event);
      if (message != null) {
        handle(message);
      }
      return;
    }
    beforeExternal();
    Object data = event.data();
    Object message =
        data instanceof Request request && request.isTyped() ? request.message() : data;
    if (data instanceof ProcessSignal processSignal) {
      signal(processSignal);
    } else if (protocol.isInstance(message)) {
      handle(protocol.cast(message));
    } else {
      info(data);
    }
    if (behaviorAgenda != null) {
      behaviorAgenda.handled();
    }
  }

  /// Nobody will handle these.
  private void leaveUnhandled(Iterator<ProcessEvent> events) {
    try {
      EventBus stream = events();
      if (stream.hasSubscribers(DeadLetter.class)) {
        publishAll(stream, events);
      }
    } catch (Throwable _) {
      return; // safe: nobody waits for a dead letter, and the process ends
    }
  }

  private void publishAll(EventBus stream, Iterator<ProcessEvent> events) {
    while (events.hasNext()) {
      ProcessEvent event = events.next();
      if (event.isMessage() && !(event.data() instanceof ProcessSignal)) {
        publishUnhandled(stream, event.data());
      }
    }
    for (M next; behaviorAgenda != null && (next = behaviorAgenda.pollLeft()) != null; ) {
      publishUnhandled(stream, next);
    }
  }

  private void publishUnhandled(EventBus stream, @Nullable Object message) {
    if (!(message instanceof Request request && request.isForwarded())) { // that is another's
      stream.deadLetter(message, context().self(), DeadLetter.Reason.RECEIVER_ENDED);
    }
  }

  private EventBus events() {
    return context().runtime().events();
  }

  @Override
  public final void close() throws Exception {
    Exit exit = context == null ? null : context.exit();
    if (exit != null && !terminated) { // also closed for a second spawn, which has failed
      terminated = true;
      try {
        terminate(exit);
      } finally {
        leaveUnhandled(Collections.emptyIterator()); // what it has kept, where others have ended it
      }
    }
  }
}
