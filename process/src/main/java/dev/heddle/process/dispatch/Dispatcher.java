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
  private final CommandRunner runner;

  /// Creates a dispatcher for the commands of the runtime and those registered so far.
  ///
  /// @throws IllegalStateException when one of the runtime's own is registered
  public Dispatcher(
      CommandRegistry registered, CommandLoop loop, Timers timers, CommandServices services) {
    this.registry = registered.copy(); // the builder may start another runtime
    this.runner = new CommandRunner(loop);
    ProcessCommands processes = new ProcessCommands(timers, services);
    processes.register(registry);
    new NameCommands(processes, timers, services).register(registry);
    new TimeCommands(timers).register(registry);
    new IoCommands(loop, runner, services::whenExited).register(registry);
    registry.freeze();
  }

  /// The class of a command, without what says how its reply is delivered.
  public static Class<?> classOf(ProcessCommand<?> asked) {
    return asked instanceof InOrder<?>(ProcessCommand<?> carriedOut)
        ? carriedOut.getClass()
        : asked.getClass();
  }

  /// Begins a command. Never throws: a failure is its reply.
  public void dispatch(ProcessCommand<?> asked, PendingCommand<?> pending) {
    ProcessCommand<?> command = asked;
    if (asked instanceof InOrder<?>(ProcessCommand<?> carriedOut)) {
      pending.answersInOrder();
      command = carriedOut;
    }
    pending.carries(command);
    CommandHandler<?, ?> handler = registry.get(command.getClass());
    if (handler == null) {
      pending.fail(new NoHandlerException(command.getClass()));
      return;
    }
    begin(handler, command, pending);
  }

  @SuppressWarnings(
      "unchecked") // the registry ties the class of the command to its handler, R to both
  private <C extends ProcessCommand<R>, R extends @Nullable Object> void begin(
      CommandHandler<?, ?> handler, ProcessCommand<?> command, PendingCommand<?> pending) {
    C typed = (C) command;
    PendingCommand<R> answer = (PendingCommand<R>) pending;
    try {
      switch ((CommandHandler<C, R>) handler) {
        case CommandHandler.Inline<C, R> h -> h.begin().begin(typed, answer);
        case CommandHandler.OnLoop<C, R> h ->
            runner.inScope(typed, () -> h.body().execute(typed, answer.caller()), answer);
        case CommandHandler.OnThread<C, R> h ->
            runner.onThread(typed, () -> h.body().execute(typed, answer.caller()), answer);
      }
    } catch (Throwable t) {
      if (!answer.fail(t)) {
        answer.issuer().logUnreported("the handler of " + command.getClass().getName(), t);
      }
    }
  }
}
