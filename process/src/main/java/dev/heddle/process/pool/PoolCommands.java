// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.pool;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.dispatch.Command;
import dev.heddle.process.dispatch.CommandHandler;
import dev.heddle.process.dispatch.CommandRegistry;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The command of a pool. Each runtime has a handler for it.
///
/// @since 0.1
public final class PoolCommands {
  private PoolCommands() {}

  /// Lets a member do a call, and waits for its answer.
  ///
  /// @param runtime of the member
  /// @param member whose turn it is
  /// @param call what was asked
  public record Invoke(ProcessRuntime runtime, Pid member, Request call)
      implements Command<@Nullable Object> {}

  /// Registers the handler.
  public static void register(CommandRegistry registry) {
    registry.register(
        Invoke.class,
        CommandHandler.inline((command, invocation) -> {
          CompletableFuture<@Nullable Object> answer =
              command.runtime().handOn(command.member(), command.call());
          var _ =
              answer.whenComplete((result, failure) -> {
                if (failure == null) {
                  invocation.complete(result);
                } else {
                  invocation.fail(failure);
                }
              });
        }));
  }
}
