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

  Reply(CompletableFuture<@Nullable Object> answer) {
    this.answer = answer;
  }

  CompletableFuture<@Nullable Object> answer() {
    return answer;
  }

  /// Whether somebody waits for the answer: false when it was answered, or the asker has given up.
  /// Worth a look before the work for an answer begins.
  public boolean isOpen() {
    return !answer.isDone();
  }

  /// Answers.
  ///
  /// @return false when it was answered before, or the asker has given up
  public boolean with(@Nullable Object result) {
    return answer.complete(result);
  }

  /// Answers with a failure, which `ask` will throw.
  ///
  /// @return false when it was answered before, or the asker has given up
  public boolean failed(Throwable failure) {
    return answer.completeExceptionally(Objects.requireNonNull(failure, "failure"));
  }
}
