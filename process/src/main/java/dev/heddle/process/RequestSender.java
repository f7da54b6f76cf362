// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.dispatch.CommandServices;
import dev.heddle.process.host.ProcessHost;
import dev.heddle.process.instance.ProcessInstance;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Sends the requests of a runtime, and fails those whose process ends without a reply. Also what
/// else its commands need of the host.
final class RequestSender implements CommandServices {
  private final Supplier<ProcessHost> host;

  /// @param host the host of the runtime, which may be created after this
  RequestSender(Supplier<ProcessHost> host) {
    this.host = host;
  }

  @Override
  public ProcessContext contextOf(Pid process) {
    ProcessInstance found = host.get().directory().find(process);
    return host.get().contextOf(Objects.requireNonNull(found));
  }

  @Override
  public CompletableFuture<Exit> whenExited(Pid process) {
    return host.get().directory().whenExitedHere(process);
  }

  @Override
  public Pid find(String name, @Nullable Object message) {
    ProcessInstance found = host.get().directory().named(name);
    if (found == null) {
      var _ = host.get().refused(name, message);
      throw new SendFailedException(name, host.get().directory().nullPid());
    }
    return found.self();
  }

  @Override
  public Pid find(Ref<?> to, Object message) {
    return to.find(message);
  }

  @Override
  public void send(Pid to, @Nullable Object message, CompletableFuture<@Nullable Object> answer) {
    send(to, message, Reply.untyped(answer));
  }

  @Override
  public <M, R extends @Nullable Object> void send(
      Ref<M> to, Function<Reply<R>, ? extends M> message, CompletableFuture<R> answer) {
    Pid _ = to.request(message, answer);
  }

  <R extends @Nullable Object> void send(Pid to, Function<Reply<R>, ?> message, Reply<R> reply) {
    send(to, message.apply(reply), untyped(reply));
  }

  @SuppressWarnings(
      "unchecked") // safe: the receiver of a message that carries the reply uses that one
  private static Reply<@Nullable Object> untyped(Reply<?> reply) {
    return (Reply<@Nullable Object>) reply;
  }

  void send(Pid to, @Nullable Object message, Reply<@Nullable Object> reply) {
    try {
      SendResult result = deliver(to, new Request(message, reply));
      if (result != SendResult.ACCEPTED) {
        reply.answer().completeExceptionally(new SendFailedException(to, result));
      }
    } catch (NotSendableException e) {
      reply.answer().completeExceptionally(e);
    }
  }

  /// Sends a request and fails it when its process ends; for a process of another runtime, that
  /// runtime does so.
  ///
  /// @throws NotSendableException when it cannot be encoded for another node
  SendResult deliver(Pid to, Request request) {
    ProcessInstance live = host.get().directory().find(to);
    if (live == null) {
      return host.get().requestElsewhere(to, request);
    }
    SendResult result = live.receive(request);
    if (result == SendResult.ACCEPTED) {
      CompletableFuture<@Nullable Object> answer = request.reply().answer();
      Consumer<Exit> noAnswer = request.reply()::processEnded;
      live.processLinks().onExit(noAnswer);
      var _ = answer.whenComplete((_, _) -> live.processLinks().offExit(noAnswer));
      return result;
    }
    return request.isForwarded() ? result : host.get().refused(to, request, result);
  }
}
