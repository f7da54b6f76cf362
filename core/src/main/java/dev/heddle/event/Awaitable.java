// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import org.jspecify.annotations.Nullable;

/// Something a coroutine can wait for, or whose end can end another wait.
///
/// Wait for one with [dev.heddle.Heddle#await(Awaitable)]; pass one as a *token* to
/// [Completable#await(Awaitable)] and the wait ends when it fires.
///
/// @param <T> what a successful wait returns
/// @since 0.1
public interface Awaitable<T extends @Nullable Object> {
  /// The event behind it. A value that is already there is an event that is already closed.
  Event event();
}
