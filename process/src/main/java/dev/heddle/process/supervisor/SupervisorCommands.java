// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.dispatch.Command;
import dev.heddle.process.dispatch.CommandHandler;
import dev.heddle.process.dispatch.CommandRegistry;
import dev.heddle.process.dispatch.Invocation;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The commands of a supervisor. Each runtime has handlers for them; a test may give its builder
/// others, and so let no time pass.
///
/// @since 0.1
public final class SupervisorCommands {
  private SupervisorCommands() {}

  /// Waits before a restart.
  ///
  /// @param delay how long
  public record Pause(Duration delay) implements Command<@Nullable Object> {}

  /// Waits until a process has started: true, or it has ended before: false.
  ///
  /// @param runtime of the process
  /// @param pid of it
  public record AwaitStart(ProcessRuntime runtime, Pid pid) implements Command<Boolean> {}

  /// Registers the handlers of those that have none.
  public static void register(CommandRegistry registry, Timers timers) {
    if (!registry.has(Pause.class)) {
      registry.register(
          Pause.class,
          CommandHandler.<Pause, @Nullable Object>inline((pause, invocation) -> {
            PauseTimer timer = new PauseTimer(invocation);
            timers.arm(timer, timers.deadline(pause.delay()));
            invocation.onCancel(() -> timers.disarm(timer));
          }));
    }
    if (!registry.has(AwaitStart.class)) {
      registry.register(
          AwaitStart.class,
          CommandHandler.inline((wait, invocation) -> {
            var _ = wait.runtime().started(wait.pid()).thenAccept(invocation::complete);
          }));
    }
  }

  private static final class PauseTimer extends Timer {
    private final Invocation<@Nullable Object> invocation;

    PauseTimer(Invocation<@Nullable Object> invocation) {
      this.invocation = invocation;
    }

    @Override
    protected void fire() {
      invocation.complete(null);
    }
  }
}
