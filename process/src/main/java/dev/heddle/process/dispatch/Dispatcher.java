// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import org.jspecify.annotations.Nullable;

/// Hands commands to those who carry them out.
public final class Dispatcher {
  private final CommandRegistry registry;
  private final LoopPort loops;

  /// For what is registered, which is frozen by this.
  public Dispatcher(CommandRegistry registry, LoopPort loops) {
    registry.freeze();
    this.registry = registry;
    this.loops = loops;
  }

  /// Begins a command. Never throws: what goes wrong is its answer.
  public void dispatch(Command<?> asked, Invocation<?> invocation) {
    Command<?> command = asked;
    if (asked instanceof InOrder<?>(Command<?> carriedOut)) {
      invocation.answersInOrder();
      command = carriedOut;
    }
    invocation.carries(command);
    CommandHandler<?, ?> handler = registry.get(command.getClass());
    if (handler == null) {
      invocation.fail(new NoHandlerException(command.getClass()));
      return;
    }
    begin(handler, command, invocation);
  }

  @SuppressWarnings(
      "unchecked") // the registry ties the class of the command to its handler, R to both
  private <C extends Command<R>, R extends @Nullable Object> void begin(
      CommandHandler<?, ?> handler, Command<?> command, Invocation<?> invocation) {
    C typed = (C) command;
    Invocation<R> answer = (Invocation<R>) invocation;
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
        answer.unheard("the handler of " + command.getClass().getName(), t);
      }
    }
  }
}
