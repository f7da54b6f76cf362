// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Takes the answer to a request, once. A process that ends without an answer fails it; later and
/// second answers go nowhere.
///
/// A typed protocol carries it in its messages, as `record Count(Reply<Integer> reply)`: so the
/// compiler knows what is answered, and `counter.ask(Count::new, limit)` asks.
///
/// **Thread** any.
///
/// @param <R> of the answer
/// @since 0.1
public final class Reply<R extends @Nullable Object> {
  private final CompletableFuture<R> answer;
  private final @Nullable Reply<?> forwardedFrom; // when handed on: whose answer that will be
  private final boolean inMessage;

  // the worker of the process that was asked, at its end; whoever is told of that end
  private volatile boolean unreceived;

  // whoever hands the request on; read by the look for deadlocks
  private volatile boolean delegated;

  private Reply(CompletableFuture<R> answer, @Nullable Reply<?> forwardedFrom, boolean inMessage) {
    this.answer = answer;
    this.forwardedFrom = forwardedFrom;
    this.inMessage = inMessage;
  }

  /// Takes the answer to a message that knows nothing of it.
  static Reply<@Nullable Object> untyped(CompletableFuture<@Nullable Object> answer) {
    return new Reply<>(answer, null, false);
  }

  /// Takes the answer to a message that is made with it.
  static <R extends @Nullable Object> Reply<R> inMessage(CompletableFuture<R> answer) {
    return new Reply<>(answer, null, true);
  }

  /// Takes the answer of whoever a request was handed on to.
  ///
  /// @param first of that request
  static Reply<@Nullable Object> forwarded(
      CompletableFuture<@Nullable Object> answer, Reply<?> first) {
    if (first.inMessage) { // the answer goes to the first one only
      var _ =
          first.answer.whenComplete((result, failure) -> {
            var _ =
                failure == null ? answer.complete(result) : answer.completeExceptionally(failure);
          });
    }
    return new Reply<>(answer, first, first.inMessage);
  }

  CompletableFuture<R> answer() {
    return answer;
  }

  /// The process that was asked lets another one answer.
  void delegate() {
    delegated = true;
  }

  /// Whether the process that was asked has let another one answer.
  boolean isDelegated() {
    return delegated;
  }

  /// Whether it belongs to a request that was handed on.
  boolean isForwarded() {
    return forwardedFrom != null;
  }

  /// Whether the message that it belongs to carries it, or the one that was handed on first.
  boolean isInMessage() {
    return inMessage;
  }

  /// The process that was asked is about to end, and has not taken the request.
  void unreceived() {
    unreceived = true;
  }

  /// The process that was asked has ended. Whoever has handed on a request that was not taken may
  /// hand it on to another: so he is told that it was as good as not sent.
  void processEnded(Exit exit) {
    RuntimeException none = new NoReplyException(exit);
    if (forwardedFrom != null && unreceived) {
      RuntimeException unsent = new SendFailedException(exit.pid(), SendResult.NOT_FOUND);
      unsent.initCause(none);
      answer.completeExceptionally(unsent);
    } else {
      answer.completeExceptionally(none);
    }
  }

  /// Whether somebody waits for the answer: false when it was answered, or the asker has given up.
  /// Worth a look before the work for an answer begins, and while it goes on.
  ///
  /// Of a request that was handed on, too. Whoever has handed it on is told of the first look that
  /// finds it given up, and waits for no answer any more.
  public boolean isOpen() {
    if (forwardedFrom != null && !forwardedFrom.isOpen()) {
      answer.cancel(false);
    }
    return !answer.isDone();
  }

  /// Answers.
  ///
  /// @return false when it was answered before, or the asker has given up
  public boolean complete(R result) {
    return isOpen() && answer.complete(result);
  }

  /// Answers with a failure, which `ask` will throw.
  ///
  /// @return false when it was answered before, or the asker has given up
  public boolean fail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return isOpen() && answer.completeExceptionally(failure);
  }
}
