// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Takes the answer to a request, once. A process that ends without an answer fails it; later and
/// second answers go nowhere.
///
/// **Thread** any.
///
/// @since 0.1
public final class Reply {
  private final CompletableFuture<@Nullable Object> answer;
  private final @Nullable Reply first; // when the request was handed on: whose answer that will be

  // the worker of the process that was asked, at its end; whoever is told of that end
  private volatile boolean unseen;

  // whoever hands the request on; read by the look for deadlocks
  private volatile boolean handedOn;

  Reply(CompletableFuture<@Nullable Object> answer, @Nullable Reply first) {
    this.answer = answer;
    this.first = first;
  }

  CompletableFuture<@Nullable Object> answer() {
    return answer;
  }

  /// Another process is to answer.
  void handedOn() {
    handedOn = true;
  }

  /// Whether the process that was asked has let another one answer.
  boolean isHandedOn() {
    return handedOn;
  }

  /// The process that was asked is about to end, and has not taken the request.
  void leftUnseen() {
    unseen = true;
  }

  /// The process that was asked has ended. Whoever has handed on a request that was not taken may
  /// hand it on to another: so he is told that it was as good as not sent.
  void unanswered(Exit exit) {
    RuntimeException none = new NoAnswerException(exit);
    if (first != null && unseen) {
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
    if (first != null && !first.isOpen()) {
      answer.cancel(false);
    }
    return !answer.isDone();
  }

  /// Answers.
  ///
  /// @return false when it was answered before, or the asker has given up
  public boolean with(@Nullable Object result) {
    return isOpen() && answer.complete(result);
  }

  /// Answers with a failure, which `ask` will throw.
  ///
  /// @return false when it was answered before, or the asker has given up
  public boolean failed(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return isOpen() && answer.completeExceptionally(failure);
  }
}
