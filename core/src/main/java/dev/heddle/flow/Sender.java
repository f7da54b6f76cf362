// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

/// Sends the items of a [Producer] to its subscriber.
///
/// {@snippet class=dev.heddle.snippets.FlowSnippetsTest region=producer}
///
/// **Thread** the producer's coroutine, no other.
///
/// @param <T> the type of the items
/// @since 0.1
public interface Sender<T> {
  /// Sends an item. **Suspends** while the subscriber has requested none.
  ///
  /// @throws NullPointerException when `item` is null, which Reactive Streams forbids
  /// @throws dev.heddle.Cancellation when the subscriber has cancelled, or the coroutine was
  ///   cancelled otherwise
  /// @throws IllegalStateException in another coroutine than the producer's
  void send(T item);
}
