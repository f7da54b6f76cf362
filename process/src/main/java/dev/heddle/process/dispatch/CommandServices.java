// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.Ref;
import dev.heddle.process.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What the runtime's own commands need of their runtime.
///
/// **Thread** any.
public interface CommandServices {
  /// What a process can do at once; within its steps only, unless a method allows more.
  ///
  /// @param process of this runtime
  ProcessContext contextOf(Pid process);

  /// Completes when a process ends; at once when it has ended.
  ///
  /// @throws IllegalArgumentException when the address is not that of a process of this runtime
  CompletableFuture<Exit> whenExited(Pid process);

  /// The process that has a name.
  ///
  /// @param message the message for it, for the failure
  /// @throws dev.heddle.process.SendFailedException when no process has it
  Pid find(String name, @Nullable Object message);

  /// The process to which a reference leads, in the runtime of the reference.
  ///
  /// @throws dev.heddle.process.SendFailedException when no process has the name
  Pid find(Ref<?> to, Object message);

  /// Sends a message whose reply completes a future of the caller. A send that fails completes it
  /// too.
  void send(Pid to, @Nullable Object message, CompletableFuture<@Nullable Object> answer);

  /// The same for a message that contains its reply.
  ///
  /// @throws dev.heddle.process.SendFailedException when no process has the name
  <M, R extends @Nullable Object> void send(
      Ref<M> to, Function<Reply<R>, ? extends M> message, CompletableFuture<R> answer);
}
