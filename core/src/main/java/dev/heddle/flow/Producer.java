// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

/// Produces the items of a [publisher][Flows#publisher(Producer)] for one subscriber, in a
/// coroutine of its own.
///
/// {@snippet class=dev.heddle.snippets.FlowSnippetsTest region=producer}
///
/// @param <T> the type of the items
/// @since 0.1
@FunctionalInterface
public interface Producer<T> {
  /// Sends the items. The subscription completes when this returns, and fails when it throws.
  void produce(Sender<? super T> out) throws Exception;
}
