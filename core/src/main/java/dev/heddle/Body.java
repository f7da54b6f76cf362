// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// The body of a coroutine with a result; without one it is an [Action].
///
/// It is no [java.util.concurrent.Callable], although it has the same shape: a `Body` runs in a
/// coroutine and may suspend, while a `Callable`, as in [Heddle#offload], runs on another thread
/// and may block it. So a signature tells which of the two a lambda is. Methods with both forms
/// select `Body` or [Action] by whether the lambda returns a value.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=bodies}
///
/// @param <T> the type of the result
/// @since 0.1
@FunctionalInterface
public interface Body<T extends @Nullable Object> {
  /// Runs as plain blocking code; it may suspend at any depth.
  ///
  /// @throws Exception any; a checked one reaches others wrapped once in a [CoroutineException]
  T run() throws Exception;
}
