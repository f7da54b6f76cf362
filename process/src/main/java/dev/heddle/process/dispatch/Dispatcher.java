// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.CommandHandler;
import dev.heddle.process.NoHandlerException;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.timer.Timers;
import org.jspecify.annotations.Nullable;

/// Passes commands to their handlers.
public final class Dispatcher {
  private final CommandRegistry registry;
  private final CommandLoop loops;

  /// Creates a dispatcher for the commands of the runtime and those registered so far.
  ///
  /// @throws IllegalStateException when one of the runtime's own is registered
  public Dispatcher(
      CommandRegistry registered, CommandLoop loops, Timers timers, Requests requests) {
    this.registry = registered.copy(); // the builder may start another runtime
    this.loops = loops;
    ProcessCommands processes = new ProcessCommands(timers, requests);
    processes.register(registry);
    new NameCommands(processes, timers, requests).register(registry);
    new TimeCommands(timers).register(registry);
    new IoCommands(loops).register(registry);
    registry.freeze();
  }

  /// Begins a command. Never throws: a failure is its reply.
  public void dispatch(ProcessCommand<?> asked, PendingCommand<?> invocation) {
    ProcessCommand<?> processCommand = asked;
    if (asked instanceof InOrder<?>(ProcessCommand<?> carriedOut)) {
      invocation.answersInOrder();
      processCommand = carriedOut;
    }
    invocation.carries(processCommand);
    CommandHandler<?, ?> handler = registry.get(processCommand.getClass());
    if (handler == null) {
      invocation.fail(new NoHandlerException(processCommand.getClass()));
      return;
    }
    begin(handler, processCommand, invocation);
  }

  @SuppressWarnings(
      "unchecked") // the registry ties the class of the command to its handler, R to both
  private <C extends ProcessCommand<R>, R extends @Nullable Object> void begin(
      CommandHandler<?, ?> handler,
      ProcessCommand<?> processCommand,
      PendingCommand<?> invocation) {
    C typed = (C) processCommand;
    PendingCommand<R> answer = (PendingCommand<R>) invocation;
    try {
      switch ((CommandHandler<C, R>) handler) {
        case CommandHandler.Inline<C, R> h -> h.begin().begin(typed, answer);
        case CommandHandler.OnLoop<C, R> h ->
            loops.inScope(typed, () -> h.body().execute(typed, answer.caller()), answer);
        case CommandHandler.OnThread<C, R> h ->
            loops.onThread(typed, () -> h.body().execute(typed, answer.caller()), answer);
      }
    } catch (Throwable t) {
      if (!answer.fail(t)) {
        answer.logUnreported("the handler of " + processCommand.getClass().getName(), t);
      }
    }
  }
}
