// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import org.jspecify.annotations.Nullable;

/// An object that a coroutine can wait for, or whose firing can end another wait.
///
/// Wait for one with [dev.heddle.Heddle#await(Awaitable)]; pass one as a *token* to
/// [Completable#await(Awaitable)] and the wait ends when it fires.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=token}
///
/// @param <T> the type of a successful wait's result
/// @since 0.1
public interface Awaitable<T extends @Nullable Object> {
  /// The event that it fires. A value that is available already is a closed event.
  Event event();
}
