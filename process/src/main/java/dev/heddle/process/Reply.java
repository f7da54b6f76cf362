// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.simulation.MessageValue;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Receives the reply to a request, once. When the process ends without replying, the request
/// fails. A second reply, and one that comes too late, is ignored.
///
/// A typed protocol carries it in its messages, as in `record CountItems(Reply<Integer> reply)`: so
/// the compiler knows the type of the reply. `cart.ask(CountItems::new, limit)` sends such a
/// request.
///
/// **Thread** any.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=ask}
///
/// @param <R> the type of the reply
/// @since 0.1
@MessageValue
public final class Reply<R extends @Nullable Object> {
  private final CompletableFuture<R> answer;
  private final @Nullable Reply<?> forwardedFrom; // of a forwarded request
  private final boolean inMessage;

  // the worker of the process that was asked, at its end; the thread that handles that end
  private volatile boolean unreceived;

  // the process that forwards the request; read by the deadlock detector
  private volatile boolean delegated;

  private Reply(CompletableFuture<R> answer, @Nullable Reply<?> forwardedFrom, boolean inMessage) {
    this.answer = answer;
    this.forwardedFrom = forwardedFrom;
    this.inMessage = inMessage;
  }

  /// The reply to a message that does not contain it.
  static Reply<@Nullable Object> untyped(CompletableFuture<@Nullable Object> answer) {
    return new Reply<>(answer, null, false);
  }

  /// The reply to a message that contains it.
  static <R extends @Nullable Object> Reply<R> inMessage(CompletableFuture<R> answer) {
    return new Reply<>(answer, null, true);
  }

  /// The reply to a forwarded request.
  ///
  /// @param first the reply to the original request
  static Reply<@Nullable Object> forwarded(
      CompletableFuture<@Nullable Object> answer, Reply<?> first) {
    if (first.inMessage) { // the process replies to the original one only
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

  /// The process that was asked lets another one reply.
  void delegate() {
    delegated = true;
  }

  /// Whether the process that was asked lets another one reply.
  boolean isDelegated() {
    return delegated;
  }

  /// Whether it belongs to a forwarded request.
  boolean isForwarded() {
    return forwardedFrom != null;
  }

  /// Whether the message, or that of the original request, contains it.
  boolean isInMessage() {
    return inMessage;
  }

  /// The one that the process that is asked completes: the one in the message, or else this one.
  @SuppressWarnings("unchecked") // safe: the two have agreed on the type of the reply
  Reply<@Nullable Object> ofAnswerer() {
    return inMessage && forwardedFrom != null
        ? forwardedFrom.ofAnswerer()
        : (Reply<@Nullable Object>) this;
  }

  /// Calls an action once, when nothing waits for the reply any more: there was one, or the asker
  /// has given up; also the first asker of a forwarded request. At once, if that is so already.
  void onClosed(Runnable action) {
    if (forwardedFrom != null && !inMessage) { // else it is completed with the original one
      forwardedFrom.onClosed(this::isOpen);
    }
    var _ = answer.whenComplete((_, _) -> action.run());
  }

  /// The process that was asked is about to end, and has not received the request.
  void unreceived() {
    unreceived = true;
  }

  /// The process that was asked has ended. A forwarded request that it had not received fails as if
  /// it had not been sent, so that its sender can forward it to another process.
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

  /// Whether the asker still waits: false after a reply, and when the asker has given up. Check it
  /// before expensive work for a reply, and during it.
  ///
  /// It works for a forwarded request too: the first call that finds that the asker has given up
  /// also ends the wait of the process that forwarded the request.
  public boolean isOpen() {
    if (forwardedFrom != null && !forwardedFrom.isOpen()) {
      answer.cancel(false);
    }
    return !answer.isDone();
  }

  /// Replies.
  ///
  /// @return false when there was a reply before, or the asker has given up
  public boolean complete(R result) {
    return isOpen() && answer.complete(result);
  }

  /// Replies with a failure, which `ask` throws.
  ///
  /// @return false when there was a reply before, or the asker has given up
  public boolean fail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return isOpen() && answer.completeExceptionally(failure);
  }
}
