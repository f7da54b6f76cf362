// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.loop.LoopRuntime;
import java.util.Objects;
import java.util.concurrent.Flow;

/// A publisher whose subscriptions are coroutines of one scope. **Thread** any.
final class LoopPublisher<T> implements Flow.Publisher<T> {
  private final LoopRuntime loop;
  private final ScopeNode scope;
  private final String name;
  private final Emission<T> source;

  /// A publisher for the members of the current scope.
  ///
  /// @param name of its coroutines, for dumps
  LoopPublisher(String name, Emission<T> source) {
    this.loop = LoopRuntime.current();
    this.scope = CoroutineNode.current().currentScope();
    this.name = name;
    this.source = source;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    new LoopSubscription<>(loop, scope, name, source, subscriber).begin();
  }

  @Override
  public String toString() {
    return name;
  }
}
