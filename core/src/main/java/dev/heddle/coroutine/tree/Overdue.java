// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.reactor.TimerEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Names who was cancelled and has not ended by the end of the grace period, while somebody waits
/// for that: the owner of a scope, who joins it, the loop at its end. Each is named once, and each
/// place in the program once ([Overruns]); the wait goes on.
final class Overdue implements InlineCallback {
  private final ScopeNode scope;
  private final LoopRoot loop;
  private final TimerEvent grace;

  private Overdue(ScopeNode scope) {
    this.scope = scope;
    this.loop = scope.loop;
    this.grace = loop.hiddenTimer(loop.options().gracePeriod());
  }

  /// Watches those in a scope and below, until [#stop()].
  static Overdue watch(ScopeNode scope) {
    Overdue added = new Overdue(scope);
    added.grace.subscribe(added);
    added.grace.start();
    return added;
  }

  /// They have ended, or nobody waits any more.
  void stop() {
    if (!loop.scheduler().hasEnded()) {
      grace.unsubscribe(this);
      grace.stop();
    }
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    loop.scheduler().onTrampoline(this::tell); // stacks are read there
  }

  private void tell() {
    List<CoroutineNode<?>> late = scope.members().stream().filter(Overdue::isNews).toList();
    if (!late.isEmpty() && !loop.isPastDeadline()) {
      late.forEach(c -> c.rare().overdue = true);
      loop.overruns().waitedFor(late, "the " + scope.describe());
    }
  }

  private static boolean isNews(CoroutineNode<?> c) {
    return !c.isDone() && c.isCancelled() && !c.rare().overdue;
  }
}
