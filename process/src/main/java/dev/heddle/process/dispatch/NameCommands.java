// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.DeadlineException;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.Reply;
import dev.heddle.process.SendResult;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Commands about processes that are named, or referred to by a [Ref]. Else as [ProcessCommands].
final class NameCommands {
  private final ProcessCommands processes;
  private final Timers timers;

  NameCommands(ProcessCommands processes, Timers timers) {
    this.processes = processes;
    this.timers = timers;
  }

  record Send(String name, @Nullable Object message) implements Command<SendResult> {}

  record Ask<R extends @Nullable Object>(String name, @Nullable Object message, Duration limit)
      implements Command<R> {}

  record AskTyped<M, R extends @Nullable Object>(
      Ref<M> to, Function<Reply<R>, ? extends M> message, Duration limit) implements Command<R> {}

  record Await(String name, Duration limit) implements Command<Pid> {}

  @SuppressWarnings("unchecked") // what the answer is, the two processes have agreed
  void register(CommandRegistry registry) {
    registry.register(
        Send.class,
        CommandHandler.inline((c, i) -> i.complete(i.context().offer(c.name(), c.message()))));
    registry.register(
        (Class<Ask<@Nullable Object>>) (Class<?>) Ask.class, CommandHandler.inline(this::ask));
    registry.register(
        (Class<AskTyped<Object, @Nullable Object>>) (Class<?>) AskTyped.class,
        CommandHandler.inline(this::askTyped));
    registry.register(Await.class, CommandHandler.inline(this::await));
  }

  private void ask(Ask<@Nullable Object> ask, Invocation<@Nullable Object> invocation) {
    ProcessRuntime runtime = invocation.context().runtime();
    Pid to = runtime.whereis(ask.name());
    if (to == null) {
      throw runtime.nobodyHas(ask.name(), ask.message());
    }
    processes.ask(new ProcessCommands.Ask<>(to, ask.message(), ask.limit()), invocation);
  }

  private void askTyped(
      AskTyped<Object, @Nullable Object> ask, Invocation<@Nullable Object> invocation) {
    Pid to = ask.to().pid();
    if (to == null) {
      throw ask.to().runtime().nobodyHas(Objects.requireNonNull(ask.to().name()), ask.message());
    }
    processes.askTyped(to, ask, invocation);
  }

  private void await(Await await, Invocation<Pid> invocation) {
    CompletableFuture<Pid> registered = invocation.context().runtime().registered(await.name());
    invocation.onCancel(() -> registered.cancel(false));
    Timer limit =
        new Timer() {
          @Override
          protected void fire() {
            if (registered.cancel(false) && invocation.isOpen()) {
              invocation.fail(
                  new DeadlineException(
                      "no process has had the name '"
                          + await.name()
                          + "' within "
                          + await.limit()));
            }
          }
        };
    timers.arm(limit, timers.deadline(await.limit()));
    var _ =
        registered.whenComplete((pid, failure) -> {
          var _ = timers.disarm(limit); // or it has fired
          if (failure == null && invocation.isOpen()) {
            invocation.complete(pid);
          }
        });
  }
}
