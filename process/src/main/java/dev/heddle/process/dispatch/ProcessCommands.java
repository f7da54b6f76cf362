// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.DeadlineException;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessTerminatedException;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Commands about processes. All are carried out within the step that yields them, in the order in
/// which it does; so what one process sends another by `send` and `ask` arrives in that order.
final class ProcessCommands {
  private final Timers timers;

  ProcessCommands(Timers timers) {
    this.timers = timers;
  }

  record Send(Pid to, @Nullable Object message) implements Command<SendResult> {}

  record Ask<R extends @Nullable Object>(Pid to, @Nullable Object message, Duration limit)
      implements Command<R> {}

  record Spawn(Process process, StartOptions options) implements Command<Pid> {}

  record Run(Process process, StartOptions options) implements Command<@Nullable Object> {}

  record Terminate(Pid pid) implements Command<@Nullable Void> {}

  record Cancel(Pid pid, String reason, Duration within) implements Command<@Nullable Void> {}

  record Link(Pid other) implements Command<@Nullable Void> {}

  record Unlink(Pid other) implements Command<@Nullable Void> {}

  record Monitor(Pid other) implements Command<Long> {}

  record Demonitor(long monitor) implements Command<Boolean> {}

  record Resolve(String text) implements Command<Pid> {}

  @SuppressWarnings("NullAway") // inference forgets that a Void may be null
  void register(CommandRegistry registry) {
    registry.register(
        Send.class,
        CommandHandler.inline((c, i) -> i.complete(i.context().offer(c.to(), c.message()))));
    registerAsk(registry);
    registry.register(
        Spawn.class,
        CommandHandler.inline((c, i) -> i.complete(i.context().spawn(c.process(), c.options()))));
    registry.register(Run.class, CommandHandler.inline(ProcessCommands::run));
    registry.register(
        Terminate.class,
        CommandHandler.inline((c, i) -> {
          i.context().runtime().terminate(c.pid());
          i.complete(null);
        }));
    registry.register(
        Cancel.class,
        CommandHandler.inline((c, i) -> {
          i.context().runtime().cancel(c.pid(), c.reason(), c.within());
          i.complete(null);
        }));
    registerTies(registry);
  }

  @SuppressWarnings("NullAway") // inference forgets that a Void may be null
  private static void registerTies(CommandRegistry registry) {
    registry.register(
        Link.class,
        CommandHandler.inline((c, i) -> {
          i.context().link(c.other());
          i.complete(null);
        }));
    registry.register(
        Unlink.class,
        CommandHandler.inline((c, i) -> {
          i.context().unlink(c.other());
          i.complete(null);
        }));
    registry.register(
        Monitor.class, CommandHandler.inline((c, i) -> i.monitor(c.other(), i::complete)));
    registry.register(
        Demonitor.class,
        CommandHandler.inline((c, i) -> i.complete(i.context().demonitor(c.monitor()))));
    registry.register(Resolve.class, CommandHandler.inline((c, i) -> i.complete(resolve(c, i))));
  }

  @SuppressWarnings("unchecked") // what the answer is, the two processes have agreed
  private void registerAsk(CommandRegistry registry) {
    registry.register(
        (Class<Ask<@Nullable Object>>) (Class<?>) Ask.class, CommandHandler.inline(this::ask));
  }

  private void ask(Ask<@Nullable Object> ask, Invocation<@Nullable Object> invocation) {
    invocation.answersInOrder();
    awaitAnswer(ask, invocation, invocation.context().runtime().request(ask.to(), ask.message()));
  }

  /// Completes a command with the answer to what was asked.
  <R extends @Nullable Object> void awaitAnswer(
      Ask<R> ask, Invocation<R> invocation, CompletableFuture<R> answer) {
    invocation.onCancel(() -> answer.cancel(false));
    invocation.waitsForAnswerOf(ask.to());
    AskTimer limit = new AskTimer(ask, invocation, answer);
    timers.arm(limit, timers.deadline(ask.limit()));
    var _ =
        answer.whenComplete((result, failure) -> {
          var _ = timers.disarm(limit); // or it has fired, and the answer comes too late
          if (failure == null) {
            invocation.complete(result);
          } else if (invocation.isOpen()) {
            invocation.fail(failureOf(ask, failure));
          }
        });
  }

  /// Ends the wait for an answer. Its process arms it; who answers disarms it.
  private static final class AskTimer extends Timer {
    private final Ask<?> ask;
    private final Invocation<?> invocation;
    private final CompletableFuture<?> answer;

    AskTimer(Ask<?> ask, Invocation<?> invocation, CompletableFuture<?> answer) {
      this.ask = ask;
      this.invocation = invocation;
      this.answer = answer;
    }

    @Override
    protected void fire() {
      if (invocation.isOpen()) {
        invocation.fail(
            new DeadlineException("no answer of " + ask.to() + " within " + ask.limit()));
      }
      answer.cancel(false); // the asked sees that nobody waits any more
    }
  }

  private static Throwable failureOf(Ask<?> ask, Throwable failure) {
    return switch (failure) {
      case SendFailedException refused when refused.to().equals(ask.to()) -> refused;
      default -> new AskFailedException(ask.to(), failure);
    };
  }

  private static void run(Run run, Invocation<@Nullable Object> invocation) {
    invocation.answersInOrder();
    var runtime = invocation.context().runtime();
    Pid child = invocation.context().spawn(run.process(), run.options());
    invocation.onCancel(() -> {
      try {
        runtime.terminate(child);
      } catch (SendFailedException _) {
        // it has ended by itself meanwhile
      }
    });
    var _ =
        runtime
            .exit(child)
            .thenAccept(exit -> {
              if (!invocation.isOpen()) {
                return;
              }
              if (exit.reason() == Exit.Reason.NORMAL) {
                invocation.complete(exit.result());
              } else {
                invocation.fail(causeOf(exit));
              }
            });
  }

  private static Throwable causeOf(Exit exit) {
    return Objects.requireNonNullElseGet(
        exit.cause(),
        () -> new ProcessTerminatedException(exit.pid() + " has ended: " + exit.reason()));
  }

  private static Pid resolve(Resolve resolve, Invocation<?> invocation) {
    String text = resolve.text();
    if (text.startsWith("{")) {
      return Pid.parse(text);
    }
    Pid named = invocation.context().runtime().whereis(text);
    if (named == null) {
      throw new IllegalArgumentException(
          "could not resolve '" + text + "': no process has that name, and it is no PID");
    }
    return named;
  }
}
