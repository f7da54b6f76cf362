// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Pid;
import dev.heddle.process.Ref;
import dev.heddle.process.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Sends messages that require a reply.
///
/// **Thread** any.
public interface Requests {
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
