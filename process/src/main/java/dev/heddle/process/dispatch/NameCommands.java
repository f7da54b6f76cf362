// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.DeadlineException;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.Ref;
import dev.heddle.process.Reply;
import dev.heddle.process.SendResult;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Commands to processes by name or by a [Ref]. Otherwise like [ProcessCommands].
public final class NameCommands {
  private final ProcessCommands processes;
  private final Timers timers;
  private final CommandServices services;

  NameCommands(ProcessCommands processes, Timers timers, CommandServices services) {
    this.processes = processes;
    this.timers = timers;
    this.services = services;
  }

  public record Send(String name, @Nullable Object message) implements ProcessCommand<SendResult> {}

  public record Ask<R extends @Nullable Object>(
      String name, @Nullable Object message, Duration limit) implements ProcessCommand<R> {}

  public record AskTyped<M, R extends @Nullable Object>(
      Ref<M> to, Function<Reply<R>, ? extends M> message, Duration limit)
      implements ProcessCommand<R> {}

  public record AwaitRegistered(String name, Duration limit) implements ProcessCommand<Pid> {}

  @SuppressWarnings("unchecked") // the two processes have agreed on the type
  void register(CommandRegistry registry) {
    registry.inline(
        Send.class,
        (c, i) -> i.complete(services.contextOf(i.caller()).offer(c.name(), c.message())));
    registry.inline((Class<Ask<@Nullable Object>>) (Class<?>) Ask.class, this::ask);
    registry.inline(
        (Class<AskTyped<Object, @Nullable Object>>) (Class<?>) AskTyped.class, this::askTyped);
    registry.inline(AwaitRegistered.class, this::await);
  }

  private void ask(Ask<@Nullable Object> ask, PendingCommand<@Nullable Object> pending) {
    Pid to = services.find(ask.name(), ask.message());
    processes.ask(new ProcessCommands.Ask<>(to, ask.message(), ask.limit()), pending);
  }

  private void askTyped(
      AskTyped<Object, @Nullable Object> ask, PendingCommand<@Nullable Object> pending) {
    processes.askTyped(services.find(ask.to(), ask.message()), ask, pending);
  }

  private void await(AwaitRegistered command, PendingCommand<Pid> pending) {
    CompletableFuture<Pid> registered =
        services.contextOf(pending.caller()).runtime().whenRegistered(command.name());
    pending.onCancel(() -> registered.cancel(false));
    Timer limit =
        new Timer() {
          @Override
          protected void fire() {
            if (registered.cancel(false) && pending.isOpen()) {
              pending.fail(
                  new DeadlineException(
                      "no process has had the name '%s' within %s"
                          .formatted(command.name(), command.limit())));
            }
          }
        };
    timers.arm(limit, timers.deadline(command.limit()));
    var _ =
        registered.whenComplete((pid, failure) -> {
          var _ = timers.disarm(limit); // or it has fired
          if (failure == null && pending.isOpen()) {
            pending.complete(pid);
          }
        });
  }
}
