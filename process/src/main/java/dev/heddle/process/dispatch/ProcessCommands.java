// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.DeadlineException;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.Exit;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessTerminatedException;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Commands about processes. They are executed within the step that requests them, in the order of
/// the requests; so what one process sends another by `send` and `ask` arrives in that order.
public final class ProcessCommands {
  private final Timers timers;
  private final CommandServices services;

  ProcessCommands(Timers timers, CommandServices services) {
    this.timers = timers;
    this.services = services;
  }

  public record Send(Pid to, @Nullable Object message) implements ProcessCommand<SendResult> {}

  public record Ask<R extends @Nullable Object>(Pid to, @Nullable Object message, Duration limit)
      implements ProcessCommand<R> {}

  public record Spawn(Process process, StartOptions options) implements ProcessCommand<Pid> {}

  public record Run(Process process, StartOptions options)
      implements ProcessCommand<@Nullable Object> {}

  public record Terminate(Pid pid) implements ProcessCommand<@Nullable Void> {}

  public record Cancel(Pid pid, String reason, Duration within)
      implements ProcessCommand<@Nullable Void> {}

  public record Link(Pid other) implements ProcessCommand<@Nullable Void> {}

  public record Unlink(Pid other) implements ProcessCommand<@Nullable Void> {}

  public record Monitor(Pid other) implements ProcessCommand<Long> {}

  public record Demonitor(long monitor) implements ProcessCommand<Boolean> {}

  public record WhereIs(String text) implements ProcessCommand<Pid> {}

  /// Waits until a process has started (true) or has ended before (false). For supervisors.
  public record AwaitStart(Pid pid) implements ProcessCommand<Boolean> {}

  /// Forwards a request to another process and waits for its reply. For pools.
  public record HandOn(Pid to, Request request) implements ProcessCommand<@Nullable Object> {}

  @SuppressWarnings("NullAway") // inference forgets that a Void may be null
  void register(CommandRegistry registry) {
    registry.inline(Send.class, (c, i) -> i.complete(contextOf(i).offer(c.to(), c.message())));
    registerAsk(registry);
    registry.inline(
        Spawn.class, (c, i) -> i.complete(contextOf(i).spawn(c.process(), c.options())));
    registry.inline(Run.class, this::run);
    registry.inline(
        Terminate.class,
        (c, i) -> {
          contextOf(i).runtime().terminate(c.pid());
          i.complete(null);
        });
    registry.inline(
        Cancel.class,
        (c, i) -> {
          contextOf(i).runtime().cancel(c.pid(), c.reason(), c.within());
          i.complete(null);
        });
    registerLinks(registry);
  }

  @SuppressWarnings("NullAway") // inference forgets that a Void may be null
  private void registerLinks(CommandRegistry registry) {
    registry.inline(
        Link.class,
        (c, i) -> {
          contextOf(i).link(c.other());
          i.complete(null);
        });
    registry.inline(
        Unlink.class,
        (c, i) -> {
          contextOf(i).unlink(c.other());
          i.complete(null);
        });
    registry.inline(Monitor.class, (c, i) -> i.issuer().monitor(c.other(), i::complete));
    registry.inline(Demonitor.class, (c, i) -> i.complete(contextOf(i).demonitor(c.monitor())));
    registry.inline(WhereIs.class, (c, i) -> i.complete(whereIs(c, i)));
    registry.inline(
        AwaitStart.class,
        (c, i) -> {
          var _ = contextOf(i).runtime().whenStarted(c.pid()).thenAccept(i::complete);
        });
    registry.inline(HandOn.class, this::handOn);
  }

  /// What the process of a command can do at once; within its step.
  private ProcessContext contextOf(PendingCommand<?> pending) {
    return services.contextOf(pending.caller());
  }

  @SuppressWarnings("unchecked") // the two processes have agreed on the type
  private void registerAsk(CommandRegistry registry) {
    registry.inline((Class<Ask<@Nullable Object>>) (Class<?>) Ask.class, this::ask);
  }

  void ask(Ask<@Nullable Object> ask, PendingCommand<@Nullable Object> pending) {
    Answer answer = awaited(ask.to(), ask.limit(), pending);
    try {
      services.send(ask.to(), ask.message(), answer);
    } catch (Throwable t) {
      answer.cancel(false); // also disarms its timer
      throw t;
    }
  }

  void askTyped(
      Pid to,
      NameCommands.AskTyped<Object, @Nullable Object> ask,
      PendingCommand<@Nullable Object> pending) {
    Answer answer = awaited(to, ask.limit(), pending);
    try {
      services.send(ask.to(), ask.message(), answer);
    } catch (Throwable t) { // usually from the program's function
      answer.cancel(false);
      throw t;
    }
  }

  private Answer awaited(Pid of, Duration limit, PendingCommand<@Nullable Object> pending) {
    Answer answer = new Answer(of, limit, pending);
    pending.answersInOrder();
    pending.onCancel(() -> answer.cancel(false));
    pending.waitsForAnswerOf(of);
    timers.arm(answer.timer, timers.deadline(limit));
    return answer;
  }

  /// The reply of another process. It is in the mailbox of the asker when the call that gave it
  /// returns, so what is sent after that call comes later. A dependent stage of the future may
  /// still be running then, on the thread that added it.
  private final class Answer extends CompletableFuture<@Nullable Object> {
    final Timer timer = new Limit();
    private final Pid of;
    private final Duration limit;
    private final PendingCommand<@Nullable Object> pending;

    Answer(Pid of, Duration limit, PendingCommand<@Nullable Object> pending) {
      this.of = of;
      this.limit = limit;
      this.pending = pending;
    }

    // the invocation decides; without memory or stack it throws, and stays open

    @Override
    public boolean complete(@Nullable Object result) {
      boolean isFirst = pending.complete(result);
      if (isFirst) {
        super.complete(result);
        var _ = timers.disarm(timer); // or it has fired, and finds the command complete
      }
      return isFirst;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
      boolean isFirst = pending.fail(failureOf(of, failure));
      if (isFirst) {
        super.completeExceptionally(failure);
        var _ = timers.disarm(timer);
      }
      return isFirst;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) { // called by the command, which is over
      boolean isCancelled = super.cancel(mayInterrupt);
      var _ = timers.disarm(timer);
      return isCancelled;
    }

    private final class Limit extends Timer {
      @Override
      protected void fire() {
        if (pending.isOpen()) {
          pending.fail(new DeadlineException("no reply from " + of + " within " + limit));
        }
        cancel(false); // so that the asked process sees that the asker has given up
      }
    }
  }

  private static Throwable failureOf(Pid of, Throwable failure) {
    return switch (failure) {
      case SendFailedException refused when refused.receiver().equals(of) -> refused;
      case NotSendableException unsent -> unsent;
      default -> new AskFailedException(of, failure);
    };
  }

  private void run(Run run, PendingCommand<@Nullable Object> pending) {
    pending.answersInOrder();
    var runtime = contextOf(pending).runtime();
    Pid child = contextOf(pending).spawn(run.process(), run.options());
    pending.onCancel(() -> {
      try {
        runtime.terminate(child);
      } catch (SendFailedException _) {
        // it has ended by itself meanwhile
      }
    });
    var _ =
        runtime
            .whenExited(child)
            .thenAccept(exit -> {
              if (!pending.isOpen()) {
                return;
              }
              if (exit.reason() == Exit.Reason.NORMAL) {
                pending.complete(exit.result());
              } else {
                pending.fail(causeOf(exit));
              }
            });
  }

  private static Throwable causeOf(Exit exit) {
    return Objects.requireNonNullElseGet(
        exit.cause(),
        () -> new ProcessTerminatedException(exit.pid() + " has ended: " + exit.reason()));
  }

  private void handOn(HandOn command, PendingCommand<@Nullable Object> pending) {
    var _ =
        contextOf(pending)
            .runtime()
            .forward(command.to(), command.request())
            .whenComplete((result, failure) -> {
              var _ = failure == null ? pending.complete(result) : pending.fail(failure);
            });
  }

  private Pid whereIs(WhereIs command, PendingCommand<?> pending) {
    String text = command.text();
    if (text.startsWith("{")) {
      return Pid.parse(text);
    }
    Pid named = contextOf(pending).runtime().whereIs(text);
    if (named == null) {
      throw new IllegalArgumentException(
          "could not resolve '" + text + "': no process has that name, and it is not a PID");
    }
    return named;
  }
}
